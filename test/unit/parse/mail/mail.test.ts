import { expect, test } from 'vitest'
import { DEFAULT_LIMITS } from '../../../../src/config/config.ts'
import { parseFile } from '../../../../src/parse/parse-file.ts'
import type { Attachment } from '../../../../src/parse/parser.ts'
import { safeName } from '../../../../src/parse/mail/write-messages.ts'
import { sniff } from '../../../../src/parse/sniff/sniff.ts'
import { makeMail, makeMbox, makeMsg } from '../../../support/make-mail.ts'
import { parseBytes, withFile } from '../../../support/parse-file.ts'

const read = async (mail: Buffer | string, name = 'a.eml') => {
  const parsed = await parseBytes(mail, name)
  const texts = parsed.pages.flatMap(({ text, blocks }) =>
    blocks.map(({ start, end, quoted }) => (quoted === true ? `> ${text.slice(start, end)}` : text.slice(start, end))),
  )
  return { ...parsed, header: parsed.messages![0]!, texts }
}

const attachmentsOf = (bytes: Buffer, name: string): Promise<(Omit<Attachment, 'bytes'> & { text: string })[]> =>
  withFile(bytes, async (file) => {
    const { mediaType } = await sniff(file, name)
    const found: (Omit<Attachment, 'bytes'> & { text: string })[] = []
    await parseFile(
      { file, mediaType, limits: DEFAULT_LIMITS, pdfEngine: 'pdfium' },
      {
        open() {},
        page() {},
        attachment: async ({ bytes, ...rest }) => void found.push({ ...rest, text: Buffer.from(bytes).toString() }),
      },
    )
    return found
  })

const typeOf = (text: string, name: string) => withFile(text, (file) => sniff(file, name).then(({ mediaType }) => mediaType))

test('reads the header: encoded words, folded lines, groups, several people and the time of the sender', async () => {
  const { header, texts, title } = await read(
    [
      'From: =?iso-8859-1?Q?Andr=E9?= <andre@example.org>',
      'To: "Lovelace, Ada" <ada@example.org>,',
      '\tTeam: b@example.org, c@example.org;',
      'Cc: dora@example.org',
      'Subject: =?utf-8?B?TGllZmVyu25n?= =?utf-8?Q?_f=C3=BCr?=',
      ' Mai',
      'Date: Fri, 3 May 2024 23:05:00 -0700 (PDT)',
      'Message-ID: <one@example.org>',
      'References: <first@example.org> <second@example.org>',
      'In-Reply-To: <second@example.org>',
      '',
      'text',
    ].join('\r\n'),
  )
  expect(header).toMatchObject({
    from: 'André <andre@example.org>',
    to: 'Lovelace, Ada <ada@example.org>, Team: b@example.org, c@example.org',
    cc: 'dora@example.org',
    sentAt: '2024-05-04T06:05:00.000Z',
    messageId: 'one@example.org',
    answers: ['second@example.org', 'first@example.org'],
  })
  expect(title).toMatch(/für Mai$/)
  expect(texts.at(-2)).toMatch(/Date: 3 May 2024, 23:05 UTC-07:00$/)
})

test('reads headers and bodies in an encoding that nobody names', async () => {
  const mail = Buffer.from(
    'From: "Jürgen Müller" <j@example.org>\r\nSubject: Prüfung der Anlage\r\n\r\nDie Prüfung ist für März vorgesehen.\r\n',
    'latin1',
  )
  const { header, texts } = await read(mail)
  expect(header).toMatchObject({ from: 'Jürgen Müller <j@example.org>', subject: 'Prüfung der Anlage' })
  expect(texts.at(-1)).toBe('Die Prüfung ist für März vorgesehen.')
})

test.each([
  ['without a blank line', 'From: a@b.org\r\nSubject: Hi\r\nThe body begins here.\r\nAnd goes on.\r\n'],
  ['after a line of blanks', 'From: a@b.org\r\nSubject: Hi\r\n \r\nThe body begins here.\r\nAnd goes on.\r\n'],
  ['of no type', 'From: a@b.org\r\nSubject: Hi\r\nContent-Type: text\r\n\r\nThe body begins here.\r\nAnd goes on.\r\n'],
])('finds a body %s', async (_what, mail) => {
  expect((await read(mail)).texts.at(-1)).toBe('The body begins here.\nAnd goes on.')
})

test('marks quoted lines, and what follows the header of the answered message', async () => {
  const text =
    'I agree.\n\nOn Friday, Bob wrote:\n> Shall we meet?\n> At nine.\nYes, at nine.\n\n-----Original Message-----\nFrom: Bob\n\nSigned.'
  const { texts } = await read(makeMail({ text }))
  expect(texts.slice(2)).toEqual([
    'I agree.',
    'On Friday, Bob wrote:',
    '> Shall we meet?\nAt nine.',
    'Yes, at nine.',
    '> -----Original Message-----\nFrom: Bob',
    '> Signed.',
  ])
})

test('joins the lines of flowed text and of flowed quotes', async () => {
  const mail =
    'From: a@b.org\r\nContent-Type: text/plain; format=flowed\r\n\r\nOne paragraph of \r\ntwo lines.\r\n\r\n> A quote of \r\n> two lines.\r\n>> An older \r\n>> one.\r\n'
  expect((await read(mail)).texts.slice(1)).toEqual(['One paragraph of two lines.', '> A quote of two lines.\nAn older one.'])
})

test('reads the HTML of a message with its quotes and tables, and nothing that is hidden', async () => {
  const html =
    '<div>I agree.</div><table><tr><td>May</td><td>900</td></tr></table><img src="https://tracker.example/a.png"><blockquote>Shall we?</blockquote><div style="display:none">secret</div><script>x</script>'
  expect((await read(makeMail({ text: 'I agree.', html }))).texts.slice(2)).toEqual(['I agree.', 'May | 900', '> Shall we?'])
  const outlook =
    '<p>Yes.</p><p><b>From:</b> Bob<br><b>Sent:</b> Friday<br><b>To:</b> Ada<br><b>Subject:</b> x</p><p>Shall we?</p>'
  expect((await read(makeMail({ html: outlook }))).texts.at(-1)).toBe('> Shall we?')
})

test('hands on attachments with safe names, but no pictures of the body and no signatures', async () => {
  const mail = makeMail({
    html: '<img src="cid:logo">',
    attachments: [
      { type: 'text/plain', name: '../../etc/passwd', body: 'one' },
      { type: 'application/pdf', name: 'C:\\\\temp\\\\..\\\\b.pdf', body: Buffer.from('two') },
      { type: 'image/png', name: 'logo.png', disposition: 'inline', body: Buffer.from('x'), headers: ['Content-ID: <logo>'] },
      { type: 'application/pkcs7-signature', name: 'smime.p7s', body: Buffer.from('x') },
      { type: 'message/rfc822', body: 'From: c@d.org\nSubject: Inner/outer\n\nHello' },
      { type: 'application/pdf', disposition: 'attachment', body: Buffer.from('three') },
    ],
  })
  const found = await attachmentsOf(mail, 'a.eml')
  expect(found.map(({ name }) => name)).toEqual(['passwd', 'b.pdf', 'Inner-outer.eml', 'attachment.pdf'])
  expect(found.map(({ text }) => text.split(/\r?\n/)[0])).toEqual(['one', 'two', 'From: c@d.org', 'three'])
})

test('names no attachment in a way that a path or a terminal could misunderstand', () => {
  expect(safeName('..', 'text/plain')).toBe('attachment.txt')
  expect(safeName('a\u202Efdp.exe\u0007', 'x/y')).toBe('afdp.exe')
  expect(safeName(null, 'x/y')).toBe('attachment')
  expect([...safeName(`${'ä'.repeat(500)}.pdf`, 'x/y')]).toHaveLength(150)
  expect(safeName(`${'ä'.repeat(500)}.pdf`, 'x/y')).toMatch(/\.pdf$/)
})

test('reads each message of a mailbox as a page, and restores escaped lines', async () => {
  const mails = [
    makeMail({ text: 'One\n\nFrom here on, it rains.\nFrom me' }),
    makeMail({ id: 'two@example.org', subject: 'Two', from: 'Bob <b@e.org>' }),
  ]
  const { pages, messages } = await read(makeMbox(mails), 'a.mbox')
  expect(messages!.map(({ page, subject, from }) => [page, subject, from])).toEqual([
    [1, 'The harbour', 'Ada Lovelace <ada@example.org>'],
    [2, 'Two', 'Bob <b@e.org>'],
  ])
  expect(pages[0]!.text).toMatch(/One\n\nFrom here on, it rains\.\nFrom me$/)
})

test('reads the other messages of a mailbox if one is damaged, and warns', async () => {
  const bad = Buffer.from(`From: a@b.org\r\nX-Long: ${'y'.repeat(5_000_000)}\r\n\r\ntext`)
  const { pages, warnings } = await read(makeMbox([makeMail(), bad, makeMail({ text: 'The last one.' })]), 'a.mbox')
  expect(pages).toHaveLength(3)
  expect(pages[2]!.text).toContain('The last one.')
  expect(warnings).toMatchObject([{ code: 'messages_damaged', page: 2 }])
})

test('reads a message of Outlook', async () => {
  const { header, texts } = await read(
    makeMsg({ id: 'x@y.org', answers: 'w@y.org', to: [{ name: "'bob@e.org'", address: 'bob@e.org' }] }),
    'a.msg',
  )
  expect(header).toEqual({
    page: 1,
    subject: 'The harbour',
    from: 'Ada Lovelace <ada@example.org>',
    to: 'bob@e.org',
    cc: '',
    sentAt: '2024-05-03T12:05:00.000Z',
    messageId: 'x@y.org',
    answers: ['w@y.org'],
  })
  expect(texts.at(-1)).toBe('It opens at nine.')
  const bytes = makeMsg({ attachments: [{ name: '..\\b.txt', bytes: Buffer.from('attached') }] })
  expect(await attachmentsOf(bytes, 'a.msg')).toEqual([{ name: 'b.txt', page: 1, text: 'attached' }])
})

test('tells messages, mailboxes and texts apart', async () => {
  const header = 'Date: Fri, 3 May 2024 14:05:00 +0200\nFrom: a@b.org\nSubject: x\nMessage-ID: <a@b>\n\ntext'
  const from = 'From a@b.org Fri May  3 14:05:00 2024\n'
  expect(await typeOf(header, 'saved')).toBe('message/rfc822')
  expect(await typeOf(header, 'saved.txt')).toBe('text/plain')
  expect(await typeOf(from + header, 'Inbox')).toBe('application/mbox')
  expect(await typeOf(from + header, 'saved.eml')).toBe('message/rfc822')
  expect(await typeOf('From: me\nTo: you\n\nA poem', 'poem')).toBe('text/plain')
  expect(await typeOf('Subject: x\n\ntext', 'a.eml')).toBe('message/rfc822')
  expect(await typeOf('From the beginning, it rained.', 'novel')).toBe('text/plain')
})

test('headers have no control characters and none that change the direction of text', async () => {
  const word = (text: string) => `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`
  const { header, title, texts } = await read(
    makeMail({
      from: `${word('\u001b[31mAda\u001b[0m\r\nX: y\u202E')} <live@example.org>`,
      to: `${word('\u2067Bob\u0007')} <bob@example.org>`,
      subject: word('\u001b]0;owned\u0007 invoice \u202Efdp.exe'),
    }),
  )
  expect(header).toMatchObject({
    from: '[31mAda [0m X: y <live@example.org>',
    to: 'Bob <bob@example.org>',
    subject: ']0;owned invoice fdp.exe',
  })
  expect(title).toBe(header.subject)
  // oxlint-disable-next-line no-control-regex -- this is what must not be there
  expect(texts.join('')).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u202a-\u202e\u2066-\u2069]/)
})

test('reads the first thousand of many attachments and counts the rest', async () => {
  const attachments = Array.from({ length: 1_250 }, (_, i) => ({ type: 'text/plain', name: `${i}.txt`, body: `text ${i}` }))
  const mail = makeMail({ attachments })
  expect(await attachmentsOf(mail, 'a.eml')).toHaveLength(1_000)
  const { attachmentsSkipped, attachmentsUnlisted } = await parseBytes(mail, 'a.eml')
  expect(attachmentsSkipped).toHaveLength(100)
  expect(attachmentsSkipped![0]).toEqual({ name: '1000.txt', page: 1, code: 'too_many_attachments' })
  expect(attachmentsUnlisted).toBe(150)
})

test('the header keeps the first of many senders', async () => {
  const { header } = await read(
    makeMail({ from: Array.from({ length: 30_000 }, (_, i) => `Ada ${i} <a${i}@example.org>`).join(', ') }),
  )
  expect(header.from.length).toBeLessThanOrEqual(1_000)
  expect(header.from).toMatch(/^Ada 0 <a0@example\.org>, Ada 1 /)
})

const DIRECTORY_AT = 48
const SMALL_FAT_AT = 60
const [NEXT, SIZE] = [72, 120]

test.each<[string, (file: Buffer, sectorAt: (field: number) => number) => void]>([
  ['an entry of the directory follows itself', (file, at) => file.writeUInt32LE(1, at(DIRECTORY_AT) + 128 + NEXT)],
  [
    'small sectors form circles',
    (file, at) => {
      for (let sector = 0; sector < 20; sector++) file.writeUInt32LE(sector, at(SMALL_FAT_AT) + 4 * sector)
    },
  ],
  ['a stream is larger than the file', (file, at) => file.writeUInt32LE(500_000_000, at(DIRECTORY_AT) + 2 * 128 + SIZE)],
])('refuses a message of Outlook in which %s', async (_, damage) => {
  const file = makeMsg()
  damage(file, (field) => (file.readUInt32LE(field) + 1) * 512)
  await expect(read(file, 'a.msg')).rejects.toMatchObject({ code: 'corrupt' })
})
