// A DNS server whose answers a test writes, and may change between two questions. Speaks just enough of RFC 1035.
// Must not know what is tested with it.

import { createSocket } from "node:dgram";
import type { AddressInfo } from "node:net";

export interface DnsAnswer {
  a?: string[];
  aaaa?: string[];
  /** The addresses above then belong to this name. */
  cname?: string;
  /** 2 SERVFAIL, 3 NXDOMAIN */
  rcode?: number;
  /** Never responds. */
  silent?: boolean;
  delayMs?: number;
}
export type DnsScript = (question: { name: string; type: "A" | "AAAA"; nth: number }) => DnsAnswer;

const TYPES: Record<number, "A" | "AAAA"> = { 1: "A", 28: "AAAA" };

function encodeName(name: string): Buffer {
  const labels = name.split(".").map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

function record(owner: Buffer, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([owner, fixed, data]);
}

function encodeIpv6(ip: string): Buffer {
  const [head = "", tail] = ip.split("::");
  const groups = (text: string) => (text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16)));
  const front = groups(head);
  const back = tail === undefined ? [] : groups(tail);
  const all = [...front, ...Array<number>(8 - front.length - back.length).fill(0), ...back];
  const bytes = Buffer.alloc(16);
  all.forEach((group, index) => {
    bytes.writeUInt16BE(group, index * 2);
  });
  return bytes;
}

/**
 * Listens on loopback. `nth` counts the questions for one name and type from 1. A resolver without a response repeats
 * its question under the same id, which counts once.
 */
export async function startDnsServer(script: DnsScript) {
  const socket = createSocket("udp4");
  const questions: { id: number; name: string; type: string }[] = [];
  socket.on("message", (message, peer) => {
    let at = 12;
    const labels: string[] = [];
    for (let length = message[at]!; length > 0; length = message[at]!) {
      labels.push(message.toString("latin1", at + 1, at + 1 + length));
      at += 1 + length;
    }
    const type = TYPES[message.readUInt16BE(at + 1)];
    if (type === undefined) return;
    const question = message.subarray(12, at + 5);
    const name = labels.join(".").toLowerCase();
    const id = message.readUInt16BE(0);
    if (!questions.some((asked) => asked.id === id && asked.name === name && asked.type === type))
      questions.push({ id, name, type });
    const nth = questions.filter((asked) => asked.name === name && asked.type === type).length;
    const answer = script({ name, type, nth });
    if (answer.silent) return;

    const pointer = Buffer.from([0xc0, 0x0c]);
    const owner = answer.cname === undefined ? pointer : encodeName(answer.cname);
    const records = answer.cname === undefined ? [] : [record(pointer, 5, encodeName(answer.cname))];
    if (type === "A") {
      for (const ip of answer.a ?? []) records.push(record(owner, 1, Buffer.from(ip.split(".").map(Number))));
    } else {
      for (const ip of answer.aaaa ?? []) records.push(record(owner, 28, encodeIpv6(ip)));
    }
    const header = Buffer.alloc(12);
    message.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 | (answer.rcode ?? 0), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    const reply = Buffer.concat([header, question, ...records]);
    setTimeout(() => {
      if (open) socket.send(reply, peer.port, peer.address);
    }, answer.delayMs ?? 0);
  });
  let open = true;
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  const { port } = socket.address() as AddressInfo;
  return {
    server: `127.0.0.1:${port}`,
    questions,
    close: () => {
      open = false;
      socket.close();
    },
  };
}
