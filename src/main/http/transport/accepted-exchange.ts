import type { MessageStream, ResponseStream } from '../exchange.js';
import { PlainStream, SizedStream } from '../response/response-stream.js';
import { NO_MESSAGES } from '../websocket/messages.js';
import { BaseExchange, SILENT } from './base-exchange.js';
import type { Follower, HandedOver, ReadyHead } from './handing-over.js';

/** A request of a connection that this thread has accepted: the main thread may answer it. */
export abstract class AcceptedExchange extends BaseExchange implements HandedOver {
  /** Who answers in the place of this thread. */
  private follower: Follower | undefined;
  private isOver = false;
  private onOver: (() => void)[] | undefined;

  override handOver(): boolean {
    const { relay } = this.hub.shared;
    if (relay === undefined || this.responded || !this.body.untouched) return false;
    // What this thread still does with it is dropped.
    this.abandoned = true;
    this.controller?.abort();
    this.follower = relay.take(this);
    return true;
  }

  override get handedOver(): Promise<void> | undefined {
    if (this.follower === undefined) return undefined;
    if (this.isOver) return Promise.resolve();
    return new Promise((resolve) => {
      (this.onOver ??= []).push(resolve);
    });
  }

  get overTls(): boolean {
    return this.hub.secure;
  }

  get upgradable(): boolean {
    return this.canUpgrade;
  }

  sendReady(answer: ReadyHead, payload: string | Uint8Array): void {
    if (this.gone || this.state !== 'open') return;
    this.takeReady(answer);
    this.payload = payload;
    this.complete();
  }

  streamReady(answer: ReadyHead, length: number): ResponseStream {
    if (this.gone || this.state !== 'open') return SILENT;
    this.takeReady(answer);
    this.beginStreaming();
    return (this.stream = length > 0 && !this.bodyless ? new SizedStream(this, length) : new PlainStream(this));
  }

  messagesReady(answer: ReadyHead): MessageStream {
    if (this.gone || this.state !== 'open' || !this.canUpgrade) return NO_MESSAGES;
    this.takeReady(answer);
    return this.beginMessages();
  }

  refuseReady(status: number, message: string): void {
    this.closeAfter = true;
    this.refuse(status, message);
  }

  protected override over(): void {
    super.over();
    this.isOver = true;
    this.follower?.over(this.gone);
    for (const resolve of this.onOver ?? []) resolve();
  }

  private takeReady({ status, head, closes }: ReadyHead): void {
    this.status = status;
    this.head = head;
    if (closes) this.closeAfter = true;
    this.body.unwanted();
  }
}
