import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface SlowUpload {
  /** Sends the rest of the body. */
  finish(): void
  /** Sends a part of the rest. */
  send(part: string): void
  /** Waits until the daemon answers, while the connection is open, and returns what it sent. */
  said(): Promise<string>
  /** Disconnects without sending the rest. */
  abandon(): void
  /** Everything the daemon sent until the connection ended. */
  answer: Promise<string>
}

/** Starts a raw upload on a new connection, and sends only the first half until `finish`. */
export async function beginUpload(url: string, token: string, name: string, content: string): Promise<SlowUpload> {
  const { hostname, port } = new URL(url)
  const body = Buffer.from(content)
  const half = Math.floor(body.length / 2)
  const socket: Socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  let said = ''
  socket.setEncoding('utf8').on('data', (text: string) => (said += text))
  // A reset counts as an end. Only an answer before it matters.
  socket.on('error', () => undefined)
  const answer = once(socket, 'close').then(() => said)
  socket.write(
    `POST /api/v1/upload?name=${encodeURIComponent(name)} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${token}\r\n` +
      `Content-Type: text/plain\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`,
  )
  socket.write(body.subarray(0, half))
  const hasAnswered = async () => {
    while (said === '') await once(socket, 'data')
    return said
  }
  return {
    send: (part) => void socket.write(part),
    said: hasAnswered,
    finish: () => void socket.write(body.subarray(half)),
    abandon: () => void socket.destroy(),
    answer,
  }
}
