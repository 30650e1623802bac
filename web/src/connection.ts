// The WebSocket to the server: it comes back when it was lost, and asks for what is missing.

import { decode, type Batch } from "./batch";
import type { Told } from "./messages";

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5000;

export interface Listener {
  /** A server's first word; the samples that are kept of this session. */
  onHello(session: string): number[];
  onText(told: Told): void;
  /** Takes a batch; gives whether it fits what is there. */
  onBatch(batch: Batch): boolean;
  onLost(): void;
}

export class Connection {
  private socket: WebSocket | null = null;
  private waitMs = FIRST_WAIT_MS;

  constructor(private readonly listener: Listener) {
    this.open();
  }

  /** Says something, if there is somebody to hear it. */
  say(message: Record<string, unknown>): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  private open(): void {
    const address = new URL("stream", location.href);
    address.protocol = "ws:";
    const socket = new WebSocket(address);
    socket.binaryType = "arraybuffer";
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => this.hear(event.data);
    socket.onclose = () => {
      this.listener.onLost();
      setTimeout(() => this.open(), this.waitMs);
      this.waitMs = Math.min(LONGEST_WAIT_MS, 2 * this.waitMs);
    };
    this.socket = socket;
  }

  private hear(data: string | ArrayBuffer): void {
    if (typeof data !== "string") {
      // What does not follow what is there is asked for again.
      if (this.listener.onBatch(decode(data))) this.say({ type: "ack" });
      else this.socket?.close();
      return;
    }
    const told = JSON.parse(data) as Told;
    this.waitMs = FIRST_WAIT_MS;
    if (told.type === "hello") {
      this.say({ type: "resume", session: told.session, have: this.listener.onHello(told.session) });
    }
    this.listener.onText(told);
  }
}
