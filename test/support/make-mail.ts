import { createRequire } from 'node:module'

export interface MailPart {
  type: string
  body: string | Buffer
  /** Sent as base64 if it is a Buffer. */
  name?: string
  disposition?: 'attachment' | 'inline'
  headers?: readonly string[]
}

export interface MadeMail {
  from?: string
  to?: string
  subject?: string
  date?: string
  id?: string
  answers?: readonly string[]
  text?: string
  html?: string
  attachments?: readonly MailPart[]
}

let boundaries = 0

/** Makes a message as a mail program writes it. */
export function makeMail(mail: MadeMail = {}): Buffer {
  const { from = 'Ada Lovelace <ada@example.org>', to = 'Bob <bob@example.org>', subject = 'The harbour' } = mail
  const { date = 'Fri, 3 May 2024 14:05:00 +0200', id = 'one@example.org', answers = [], text, html, attachments = [] } = mail
  const header = [
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${subject}`,
    `Date: ${date}`,
    `Message-ID: <${id}>`,
    ...(answers.length === 0
      ? []
      : [`In-Reply-To: <${answers[0]}>`, `References: ${answers.map((one) => `<${one}>`).join('\r\n ')}`]),
    'MIME-Version: 1.0',
  ]
  const bodies: MailPart[] = [
    ...(text === undefined && html !== undefined
      ? []
      : [{ type: 'text/plain; charset=utf-8', body: text ?? 'It opens at nine.' }]),
    ...(html === undefined ? [] : [{ type: 'text/html; charset=utf-8', body: html }]),
  ]
  const body = bodies.length === 1 ? part(bodies[0]!) : multipart('alternative', bodies.map(part))
  const whole = attachments.length === 0 ? body : multipart('mixed', [body, ...attachments.map(part)])
  return Buffer.from(`${header.join('\r\n')}\r\n${whole}\r\n`)
}

function multipart(kind: string, parts: readonly string[]): string {
  const boundary = `part-${++boundaries}`
  return `Content-Type: multipart/${kind}; boundary="${boundary}"\r\n\r\n${parts.map((one) => `--${boundary}\r\n${one}\r\n`).join('')}--${boundary}--`
}

function part({ type, body, name, disposition, headers = [] }: MailPart): string {
  const isBinary = typeof body !== 'string'
  const lines = [
    `Content-Type: ${type}`,
    `Content-Transfer-Encoding: ${isBinary ? 'base64' : '8bit'}`,
    ...(disposition === undefined && name === undefined
      ? []
      : [`Content-Disposition: ${disposition ?? 'attachment'}${name === undefined ? '' : `; filename="${name}"`}`]),
    ...headers,
  ]
  const content = isBinary ? (body.toString('base64').match(/.{1,76}/g) ?? []).join('\r\n') : body.replaceAll('\n', '\r\n')
  return `${lines.join('\r\n')}\r\n\r\n${content}`
}

/** Makes a mailbox in the format mboxrd. */
export function makeMbox(mails: readonly Buffer[]): Buffer {
  const from = Buffer.from('From ada@example.org Fri May  3 14:05:00 2024\n')
  return Buffer.concat(
    mails.flatMap((mail) => [
      from,
      Buffer.from(
        mail
          .toString('latin1')
          .replaceAll('\r\n', '\n')
          .replaceAll(/^(>*From )/gm, '>$1'),
        'latin1',
      ),
      Buffer.from('\n'),
    ]),
  )
}

// The package writes the container, too: it saves messages within messages as files of their own.
const { burn } = createRequire(import.meta.url)(
  '@kenjiuno/msgreader/lib/Burner',
) as typeof import('@kenjiuno/msgreader/lib/Burner.js')
const [STORAGE, STREAM, ROOT] = [1, 2, 5]

export interface MadeMsg {
  subject?: string
  senderName?: string
  senderAddress?: string
  to?: readonly { name: string; address: string }[]
  sent?: Date
  id?: string
  answers?: string
  body?: string
  html?: string
  /** As Outlook stores it: with a header, and usually compressed. */
  rtf?: Buffer
  attachments?: readonly { name: string; bytes: Buffer }[]
}

/** Makes a message as Outlook saves it. */
export function makeMsg(msg: MadeMsg = {}): Buffer {
  type Node = { name: string; bytes?: Buffer; children?: Node[] }
  const text = (tag: string, value: string | undefined): Node[] =>
    value === undefined ? [] : [{ name: `__substg1.0_${tag}001F`, bytes: Buffer.from(value, 'utf16le') }]
  const { subject = 'The harbour', senderName = 'Ada Lovelace', senderAddress = 'ada@example.org' } = msg
  const { to = [{ name: 'Bob', address: 'bob@example.org' }], sent = new Date('2024-05-03T12:05:00Z'), id, body } = msg
  const fileTime = Buffer.alloc(16)
  fileTime.writeUInt32LE(0x00390040, 0)
  fileTime.writeUInt32LE(6, 4)
  fileTime.writeBigUInt64LE((BigInt(sent.getTime()) + 11_644_473_600_000n) * 10_000n, 8)
  const recipients = to.map(({ name, address }, i): Node => {
    const type = Buffer.alloc(16)
    type.writeUInt32LE(0x0c150003, 0)
    type.writeUInt32LE(1, 8)
    return {
      name: `__recip_version1.0_#${i.toString(16).padStart(8, '0').toUpperCase()}`,
      children: [
        { name: '__properties_version1.0', bytes: Buffer.concat([Buffer.alloc(8), type]) },
        ...text('3001', name),
        ...text('39FE', address),
      ],
    }
  })
  const attachments = (msg.attachments ?? []).map(({ name, bytes }, i): Node => ({
    name: `__attach_version1.0_#${i.toString(16).padStart(8, '0').toUpperCase()}`,
    children: [
      { name: '__properties_version1.0', bytes: Buffer.alloc(8) },
      ...text('3707', name),
      { name: '__substg1.0_37010102', bytes },
    ],
  }))
  const root: Node = {
    name: 'Root Entry',
    children: [
      { name: '__properties_version1.0', bytes: Buffer.concat([Buffer.alloc(32), fileTime]) },
      ...text('0037', subject),
      ...text('0C1A', senderName),
      ...text('5D01', senderAddress),
      ...text('1035', id === undefined ? undefined : `<${id}>`),
      ...text('1042', msg.answers === undefined ? undefined : `<${msg.answers}>`),
      ...text('1000', body ?? (msg.html === undefined && msg.rtf === undefined ? 'It opens at nine.' : undefined)),
      ...(msg.html === undefined ? [] : [{ name: '__substg1.0_10130102', bytes: Buffer.from(msg.html) }]),
      ...(msg.rtf === undefined ? [] : [{ name: '__substg1.0_10090102', bytes: msg.rtf }]),
      ...recipients,
      ...attachments,
    ],
  }
  const entries: Parameters<typeof burn>[0] = []
  const add = ({ name, bytes, children }: Node): number => {
    const at = entries.length
    const type = at === 0 ? ROOT : children === undefined ? STREAM : STORAGE
    const entry = {
      name,
      type: type as never,
      length: bytes?.length ?? 0,
      ...(bytes && { binaryProvider: () => Uint8Array.from(bytes) }),
    }
    entries.push(entry)
    if (children !== undefined) Object.assign(entry, { children: children.map(add) })
    return at
  }
  add(root)
  return Buffer.from(burn(entries))
}
