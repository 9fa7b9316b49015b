/**
 * One run's JavaScript: an isolate's context, the scripts and functions that run in it, and its questions to the loop. The isolate's
 * thread waits while the loop answers; meanwhile the loop may ask for further scripts and functions of the same context to be run, and
 * these may ask again: two stacks that mirror each other.
 */
import type { ScriptContext } from '../../run/run.js';
import { ScriptError } from '../../language/errors.js';
import type { FunctionLibrary } from '../../run/function/function.js';
import { takesMemory } from '../../run/limits/memory.js';
import { tellNotes, type Note } from '../../run/notes.js';
import { ScriptCallable, type ScriptValue } from '../../language/values.js';
import { frameInTimeout, limitError, limitOf, placeAt, readFrame, Sources } from './failures.js';
import { Activations, over, type Frame, type Request } from './activations.js';
import { Epochs } from './epochs.js';
import { Handing, type HandedScript } from './handed.js';
import { Stay } from './stay.js';
import { Together } from './together.js';
import type { EvaluatedSource } from './source/evaluated.js';
import type { Isolates, Limits } from './isolates/isolates.js';
import { PassedErrors } from './passed-errors.js';
import { operate } from './operations.js';
import { Overtime } from './isolates/overtime.js';
import { LONGEST_CROSSING } from './prelude/prelude-wire.js';
import type { Room } from './isolates/room.js';
import { Whereabouts } from './whereabouts.js';
import { Crossing, isList, textOf, WireError, type Wire } from './wire.js';

/** Characters that go to the context of a run whose scripts follow each other, before the next one gets another: it keeps what it was told of objects. */
const MOST_TOLD = 1 << 20;

export interface SessionParts {
  readonly isolates: Isolates;
  readonly limits: () => Limits;
  readonly library: FunctionLibrary;
  /** Called with contexts of other runs that its functions act in, so that their scripts run here too. */
  readonly adopt: (context: ScriptContext, session: Session) => void;
  /** More scripts of its run are likely to follow. */
  readonly lingers: () => boolean;
  /** It is over. */
  readonly ended: (session: Session) => void;
}

export class Session {
  private readonly sources = new Sources();
  readonly crossing = new Crossing(
    (number) => this.functionNumbered(number),
    (source) => this.sources.add(source),
    (error) => this.errors.encode(error, true),
  );
  private readonly requests: Request[] = [];
  private readonly errors = new PassedErrors(this.sources);
  private readonly whereabouts = new Whereabouts();
  private readonly activations = new Activations(() => {
    this.whereabouts.left();
  });
  private readonly epochs = new Epochs();
  private readonly handing: Handing;
  private overtime: Overtime | undefined;
  private readonly stay: Stay;
  /** Resumes the isolate's thread. */
  private resume: ((text: string) => void) | undefined;
  private room: Room | undefined;
  private isRunning = false;
  /** Characters that went to the isolate. */
  private told = 0;
  isOver = false;

  /** See `PassedErrors.unread`. */
  get unread(): PassedErrors['unread'] {
    return this.errors.unread;
  }

  constructor(
    private readonly parts: SessionParts,
    private readonly first: ScriptContext,
  ) {
    this.handing = new Handing(this.crossing, this.sources, parts.library);
    this.stay = new Stay(
      () => this.told < MOST_TOLD && parts.lingers(),
      () => {
        this.rest();
      },
      () => {
        if (!this.isRunning) this.end();
      },
    );
  }

  /** Evaluates a source; see `JavaScript.run`. */
  evaluate(one: HandedScript): Promise<ScriptValue> {
    return this.request(one.source.context, one.source, (epoch) => this.handing.script(one, epoch));
  }

  /** Evaluates several, one after the other. Undefined: something else runs, and they would be inside of it. */
  evaluateTogether(scripts: readonly HandedScript[]): Together | undefined {
    const [first] = scripts;
    if (this.isRunning || this.isOver || first === undefined) return undefined;
    const together = new Together(scripts, this.crossing, this.errors, () => this.room?.discard());
    const { context } = first.source;
    const text = (epoch: number): Wire => this.handing.scripts(scripts, epoch);
    this.requests.push({ context, source: first.source, text, together, ...together.first });
    void this.runAll();
    return together;
  }

  /** Whether something of it runs: what begins now is inside of that. */
  get isBusy(): boolean {
    return !this.activations.isEmpty;
  }

  private functionNumbered(number: number): ScriptCallable {
    return new ScriptCallable((args, context?: ScriptContext) => {
      const within = context ?? this.context;
      if (within.run !== this.first.run) this.parts.adopt(within, this);
      return this.request(within, undefined, (epoch) => ['c', epoch, number, this.crossing.encode([...args])]);
    });
  }

  private request(
    context: ScriptContext,
    source: EvaluatedSource | undefined,
    text: (epoch: number) => Wire,
  ): Promise<ScriptValue> {
    return new Promise((resolve, reject) => {
      if (this.isOver) {
        reject(over());
        return;
      }
      this.requests.push({ context, source, text, resolve, reject });
      if (this.isRunning) this.pump();
      else void this.runAll();
    });
  }

  /** Keeps the context for further scripts and functions until the answer is called. */
  hold(): () => void {
    return this.stay.hold();
  }

  /** Ends it, unless something runs, or is to find its context. */
  rest(): void {
    if (!this.isRunning && !this.isOver) this.stay.rest(this.room);
  }

  private async runAll(): Promise<void> {
    this.isRunning = true;
    this.stay.begin();
    try {
      const { actor } = this.first;
      const title = this.requests[0]?.source?.title;
      // Of all objects that a method is called on it is the same script.
      const script = title === undefined ? undefined : `${actor.id ?? ''}/${title.replace(/\[[^\]]*\]/, '')}`;
      const room = (this.room ??= await this.parts.isolates.acquire(actor.id ?? '', this.writes, script));
      await new Promise<void>((go) => {
        if (room.place.resume(this.writes, go)) go();
      });
      room.answer((text) => this.answer(text));
      for (let next = this.requests.shift(); next !== undefined; next = this.requests.shift()) {
        await this.runOne(room, next);
      }
      this.isRunning = false;
      this.rest();
    } catch (error) {
      this.room?.discard();
      this.room = undefined;
      this.close(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Rejects when the isolate has to be given up. */
  private async runOne(room: Room, request: Request): Promise<void> {
    const limits = this.parts.limits();
    const overtime = (this.overtime = new Overtime(room, limits, () => this.locate()));
    const computing = Math.min(limits.cpu, limits.total);
    this.whereabouts.begin();
    this.activations.beginFirst(request);
    try {
      const asked = JSON.stringify(this.textFor(request));
      this.told += asked.length;
      let answer = await Promise.race([room.enter(asked, computing), overtime.promise]);
      // A promise: what it waited for has run since.
      if (answer === '') answer = await Promise.race([room.enter('', computing), overtime.promise]);
      if (overtime.limit !== undefined) throw new Error(overtime.limit);
      this.activations.unwind(1);
      if (answer !== '') this.returned(JSON.parse(answer) as Wire);
      else
        this.activations.settle((one) =>
          one.reject(new ScriptError(422, 'The script answers a promise that nothing settles.')),
        );
    } catch (error) {
      this.activations.unwind(1);
      const limit = room.isKilled ? 'killed' : (overtime.limit ?? limitOf(error, limits));
      if (limit === 'lost' && room.isAlive) {
        // A promise that nobody looks after was rejected: reading why may have set off more of the user's code.
        room.isTainted = true;
        this.activations.settle((one) => one.reject(this.errors.lost(error, one.source)));
        return;
      }
      const { seen } = this.whereabouts;
      throw limitError(limit, limits, { frame: frameInTimeout(error), seen, sources: this.sources });
    } finally {
      overtime.stop();
    }
  }

  private textFor({ text, context }: Request): Wire {
    return text(this.epochs.now(context));
  }

  private get context(): ScriptContext {
    return this.activations.context ?? this.first;
  }

  /** A text of the isolate, whose thread waits for the answer. */
  private answer(text: string): Promise<string> {
    return new Promise((resolve) => {
      this.resume = resolve;
      try {
        if (text.length > LONGEST_CROSSING) throw new ScriptError(422, 'So much cannot leave the script at once.');
        takesMemory(text.length);
        const message = JSON.parse(text) as Wire;
        if (this.isOver || !isList(message)) throw new ScriptError(422, 'This script has ended.');
        const [depth, operation, ...args] = message;
        if (this.whereabouts.isLocating) {
          // Its thread waits until the isolate is ended, once it has said where it is.
          if (operation === 'noted') this.whereabouts.at(placeAt(readFrame(args[0]), this.sources, undefined));
          else this.askWhere();
          return;
        }
        this.activations.unwind(typeof depth === 'number' ? depth : 1);
        if (operation === 'ret') this.returned(message);
        else if (operation === 'part') this.parted(args[0]);
        else if (operation === 'noted') this.noted(args[0]);
        else this.ask(textOf(operation), args);
      } catch (error) {
        this.activations.frames.push({ answer: { error } });
      }
      this.pump();
      if (this.resume !== undefined) this.room?.place.pause();
    });
  }

  /** The time of what runs is over: where it waits for an answer it is asked where that is, otherwise when it asks next. */
  private locate(): Promise<void> {
    const located = this.whereabouts.locate();
    this.askWhere();
    return located;
  }

  private askWhere(): void {
    const { resume } = this;
    this.resume = undefined;
    resume?.(JSON.stringify(['w', null, this.epochs.last]));
  }

  /** A function or script has ended. */
  private returned(message: Wire): void {
    const [, kind, isDone, wire] = isList(message) ? message : [];
    this.activations.settle((one) => {
      if (kind === 'all') {
        one.together?.ended(isDone);
        return;
      }
      try {
        if (isDone !== true) one.reject(this.errors.read(wire, one.source, () => this.activations.source));
        else one.resolve(this.crossing.decode(wire));
      } catch (error) {
        one.reject(error as Error);
      }
    });
  }

  /** Of scripts that run together one asks for something, which is the one that runs from now on. */
  private parted(wire: Wire | undefined): void {
    const { together } = this.activations;
    if (together === undefined) throw new WireError('No scripts run together.');
    const frame: Frame = {};
    let isAtOnce = true;
    this.overtime?.pause();
    const { source } = together.parted(wire, () => {
      this.overtime?.goOn();
      frame.answer = { value: null };
      if (!isAtOnce) this.pump();
    });
    isAtOnce = false;
    this.activations.goOn(source);
    this.activations.frames.push(frame);
  }

  /** What functions have noted is said with the place that called them, which the isolate has told. */
  private noted(frame: Wire | undefined): void {
    const place = placeAt(readFrame(frame), this.sources, undefined);
    this.whereabouts.at(place);
    if (this.notes !== undefined) {
      const { run } = this.context;
      run.notes = this.notes;
      this.notes = undefined;
      tellNotes(run, ({ title }) => place ?? { title });
    }
    this.activations.frames.push({ answer: { value: null } });
  }
  /** Of the question that was answered last. */
  private notes: Note[] | undefined;

  private ask(operation: string, args: readonly Wire[]): void {
    const frame: Frame = {};
    this.activations.frames.push(frame);
    const answered = operate(operation, args, this.context, this.crossing, this.parts.library);
    if (!(answered instanceof Promise)) {
      frame.answer = { value: answered };
      return;
    }
    answered.then(
      (value) => {
        frame.answer = { value };
        this.pump();
      },
      (error: unknown) => {
        frame.answer = { error };
        this.pump();
      },
    );
  }

  /** A transaction that scripts of this session are in writes: all other writers wait for them. */
  private get writes(): boolean {
    const waiting = this.requests.map(({ context }) => context);
    return [this.first, ...this.activations.contexts, ...waiting].some(({ run }) => run.transaction.holds);
  }

  /** Lets the isolate's thread go on as soon as there is something for it. */
  private pump(): void {
    const { resume } = this;
    const answer = this.activations.frames.at(-1)?.answer;
    if (resume === undefined || (answer === undefined && this.requests.length === 0)) return;
    if (this.whereabouts.isLocating) return;
    const mayCompute = this.room?.place.resume(this.writes, () => {
      this.pump();
    });
    if (mayCompute === false) return;
    if (answer !== undefined) {
      this.activations.frames.pop();
      this.resume = undefined;
      let text: string;
      try {
        text = this.answerText(answer);
      } catch {
        // Its thread waits: whatever happens it gets an answer.
        text = this.answerText({ error: new ScriptError(422, 'So much cannot enter the script at once.') });
      }
      this.told += text.length;
      resume(text);
      return;
    }
    const request = this.requests.shift();
    if (request === undefined) return;
    let text: string;
    try {
      text = JSON.stringify(this.textFor(request));
    } catch (error) {
      request.reject(error as Error);
      return;
    }
    this.activations.begin(request);
    this.told += text.length;
    this.resume = undefined;
    resume(text);
  }

  private answerText(answer: NonNullable<Frame['answer']>): string {
    if ('value' in answer) {
      const { context } = this;
      const { run } = context;
      if (run.notes === undefined && !this.whereabouts.isDue)
        return JSON.stringify(['v', answer.value, this.epochs.now(context)]);
      // The isolate tells where the call was.
      this.notes = run.notes;
      run.notes = undefined;
      return JSON.stringify(['w', answer.value, this.epochs.now(context)]);
    }
    const error = answer.error instanceof Error ? answer.error : new Error(String(answer.error));
    return JSON.stringify(['e', ...this.errors.encode(error)]);
  }

  /** Nothing of it runs any more. */
  private end(): void {
    if (this.isOver) return;
    const { room } = this;
    this.room = undefined;
    this.close();
    room?.release();
  }

  /** `error`: for what runs still; making one takes longer than closing. */
  private close(error?: Error): void {
    this.isOver = true;
    this.isRunning = false;
    this.stay.begin();
    for (const one of [...this.activations.giveUp(), ...this.requests.splice(0)])
      if (one.together === undefined) one.reject(error ?? over());
      else one.together.failed(error ?? over());
    this.parts.ended(this);
  }
}
