#!/usr/bin/env node
/**
 * The launcher: `svc [--conf PATH]`. It starts the server in a process of its own, because the heap limits of the
 * settings (application.heap.*) can only be given to a Node that starts. It passes signals on, starts a server that
 * crashed again (supervisor.js), and ends as the server ends otherwise. Commands (commands.js) run in the launcher's own process.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, constants } from 'node:os';
import { parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nativeProblem } from './check-native.js';
import { commandsHelp, findCommand } from './commands.js';
import { CompiledFiles } from './compiled.js';
import { describeEnd, LastWords, Supervisor } from './supervisor.js';

const { nodeProblem } = createRequire(import.meta.url)('./check-node.cjs');

/** See src/main/exit-codes.ts. */
const EXIT_FAILED = 1;
const EXIT_CONFIGURATION = 2;
const EXIT_USAGE = 3;

/**
 * The C library (glibc) would keep freed memory the longer, the larger the pieces were that have been freed once: after a burst of
 * large bodies 150 MB for good. What the environment says goes before.
 */
const GIVE_BACK = { MALLOC_TRIM_THRESHOLD_: String(16 * 1024 * 1024) };

/**
 * Threads of libuv, which read files and make images: images on all processors must leave some for files. What the environment says goes before.
 */
const MORE_THREADS = { UV_THREADPOOL_SIZE: String(availableParallelism() + 4) };

/** One Ctrl-C reaches the launcher twice under npm: from the terminal, and passed on by npm. */
const SAME_INTERRUPT_MS = 250;
/** How long the last words of a server that has ended are waited for. */
const LAST_WORDS_MS = 1000;

const HELP = `Usage: svc [start] [--conf PATH]

  --conf PATH   settings file; default: ./svc.conf, written at the first start
  --version     print the version
  --help        print this

Relative paths in a settings file count from its folder, so every instance has a folder of its own.
Every setting, with its default: svc.conf.example. SVC_... variables of the environment go before the file.

Commands:
${commandsHelp()}`;

function fail(message, code = EXIT_FAILED) {
  process.stderr.write(`svc: ${message}\n`);
  process.exit(code);
}

/** `{ conf }`, or one of the words that only print something. */
function readArguments(args) {
  let conf = 'svc.conf';
  for (let i = 0; i < args.length; i++) {
    const arg = args[i];
    if (arg === '--help' || arg === '-h') return { print: HELP };
    if (arg === '--version') return { print: `${version()}\n` };
    if (arg.startsWith('--conf=')) conf = arg.slice('--conf='.length);
    else if (arg === '--conf') conf = args[++i] ?? '';
    else fail(`there is no option '${arg}'; try --help.`, EXIT_CONFIGURATION);
    if (conf === '') fail('--conf needs the path of a settings file.', EXIT_CONFIGURATION);
  }
  return { conf };
}

function version() {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
}

function checkBuilt() {
  if (existsSync(new URL('../dist/src/server/main.cjs', import.meta.url))) return;
  fail(`it is not built yet: run \`npm run build\` in ${fileURLToPath(new URL('..', import.meta.url))}`);
}

/** Runs a command and ends with its exit code. */
async function runCommand({ module, rest }) {
  checkBuilt();
  const native = await nativeProblem();
  if (native !== undefined) fail(native);
  // Bundled and compiled as the server is: hundreds of modules would take four times as long.
  const files = new CompiledFiles();
  const bundled = new URL(`../dist/src/server/${parse(module).name}.cjs`, import.meta.url);
  process.exitCode = await files.run(fileURLToPath(bundled)).run(rest);
  await files.keep();
}

/**
 * Starts the server and lives as long as it does. One that crashes is started again (`application.restart`); the pause in
 * between grows.
 */
async function launch(conf) {
  checkBuilt();
  const { launchSettings } = await import('../dist/src/main/config/launch.js');
  const { EXIT } = await import('../dist/src/main/exit-codes.js');
  const supervisor = new Supervisor(new Set(Object.values(EXIT).filter((code) => code !== EXIT.failed)));
  let ending;
  let server;
  let pausing;

  const start = () => {
    pausing = undefined;
    // Read anew each time: they may be what the server died of.
    const { nodeFlags, timeZone, restart, notes } = launchSettings(conf, process.env);
    for (const note of notes) process.stderr.write(`svc: ${note}\n`);
    const startedAt = performance.now();
    let up = false;
    const lastWords = new LastWords();
    server = startServer(conf, nodeFlags, timeZone, {
      says: (chunk) => {
        lastWords.add(chunk);
        process.stderr.write(chunk);
      },
      serves: () => {
        up = true;
      },
      ended: (code, signal) => {
        server = undefined;
        const lived = performance.now() - startedAt;
        const pause = supervisor.after({ code, signal, up, lived, asked: ending !== undefined });
        // As a shell says it: 128 and the number of the signal that ended the server.
        const exitCode = code ?? 128 + (constants.signals[signal] ?? 0);
        if (code === EXIT.restart && ending === undefined) {
          start();
          return;
        }
        if (pause === undefined || !restart) process.exit(exitCode);
        tell(`${describeEnd({ code, signal }, lastWords.cause)}; it is started again in ${pause / 1000} s`);
        pausing = { timer: setTimeout(start, pause), exitCode };
      },
    });
  };

  const terminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  let lastInterrupt = -Infinity;
  const forward = (signal) => {
    if (signal === 'SIGINT') {
      const now = performance.now();
      if (now - lastInterrupt < SAME_INTERRUPT_MS) return;
      lastInterrupt = now;
    }
    // Sent by a person, SIGHUP reads the settings again; under a terminal it says that the terminal is gone.
    const meant = signal === 'SIGHUP' && terminal ? 'SIGTERM' : signal;
    if (meant !== 'SIGHUP') ending ??= meant;
    if (pausing !== undefined && meant !== 'SIGHUP') process.exit(pausing.exitCode);
    server?.kill(meant);
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, forward);
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  start();
}

/** The process of a server; `says` gets what it writes to its standard error, as it comes. */
function startServer(conf, nodeFlags, timeZone, { says, serves, ended }) {
  const script = fileURLToPath(new URL('./serve.js', import.meta.url));
  const server = spawn(process.execPath, [...process.execArgv, ...nodeFlags, script, `--conf=${conf}`], {
    // Descriptor 3 tells the server that the launcher is gone, and the launcher that the server serves; see serve.js.
    stdio: ['inherit', 'inherit', 'pipe', 'pipe'],
    env: { ...GIVE_BACK, ...MORE_THREADS, ...process.env, TZ: timeZone },
    // A group of its own: the terminal's Ctrl-C reaches the launcher only, which passes it on once.
    detached: true,
  });
  server.on('error', (error) => fail(`the server's process cannot be started: ${error.message}`));
  server.stderr.on('data', says);
  server.stdio[3].on('data', serves);
  for (const stream of [server.stderr, server.stdio[3]]) stream.on('error', () => undefined);
  // Not on `exit`: what it said last may still be on its way. But a program that it started may keep its output open.
  server.on('exit', (code, signal) => {
    const finish = () => {
      clearTimeout(patience);
      server.off('close', finish);
      ended(code, signal);
    };
    const patience = setTimeout(finish, LAST_WORDS_MS);
    server.on('close', finish);
  });
  return server;
}

/** A line as those of the server's log, which it stands among. */
function tell(message) {
  process.stdout.write(`${new Date().toISOString()} ERROR org.svc.launcher - ${message}\n`);
}

const problem = nodeProblem(process.versions.node);
if (problem !== null) fail(problem);
const given = process.argv.slice(2);
const args = given[0] === 'start' ? given.slice(1) : given;
const command = findCommand(args);
if (command !== undefined) {
  runCommand(command).catch((error) => fail(`${command.name}: ${error.message}`));
} else if (args[0] !== undefined && !args[0].startsWith('-')) {
  // Not repeated: it may be part of a command with a password in it.
  fail('there is no such command; try --help.', EXIT_USAGE);
} else {
  const { conf, print } = readArguments(args);
  if (print === undefined) launch(conf).catch((error) => fail(`it cannot be started: ${error.message}`));
  else process.stdout.write(print);
}
