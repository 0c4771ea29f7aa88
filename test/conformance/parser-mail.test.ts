import { makeMail, makeMbox, makeMsg } from '../support/make-mail.ts'
import { parserConformance } from './parser.ts'

const HTML =
  '<p>The ferry leaves at noon.</p><ul><li>by night</li></ul><table><tr><th>Day</th></tr><tr><td>Monday</td></tr></table>'
const header = ['From: Ada Lovelace <ada@example.org>', 'To: Bob']

parserConformance('eml', async () => ({
  bytes: makeMail({ html: HTML, attachments: [{ type: 'text/plain', name: 'a.txt', body: 'attached' }] }),
  fileName: 'harbour.eml',
  mediaType: 'message/rfc822',
  expected: {
    engine: 'postal-mime',
    title: 'The harbour',
    pageCount: 1,
    texts: ['The harbour', ...header, 'Date: 3 May 2024', 'The ferry leaves', 'by night', 'Monday'],
    kinds: ['heading', 'paragraph', 'list_item', 'table_row'],
  },
  broken: {
    'nothing but a header': Buffer.from('From: ada@example.org\r\nSubject: x\r\n'),
    'a boundary that never ends': Buffer.from(
      'From: a@b.org\r\nContent-Type: multipart/mixed; boundary=a\r\n\r\n--a\r\n\r\ntext',
    ),
    'a part within itself': Buffer.from(
      `From: a@b.org\r\nContent-Type: multipart/mixed; boundary=a\r\n\r\n${'--a\r\nContent-Type: multipart/mixed; boundary=a\r\n\r\n'.repeat(500)}text`,
    ),
    'a thousand messages within each other': Buffer.from(
      `${'From: a@b.org\r\nContent-Type: message/rfc822\r\n\r\n'.repeat(1_000)}text`,
    ),
    'a thousand parts within each other': Buffer.from(
      `From: a@b.org\r\n${Array.from({ length: 1_000 }, (_, i) => `Content-Type: multipart/mixed; boundary=b${i}x\r\n\r\n--b${i}x\r\n`).join('')}\r\ntext`,
    ),
    'a header of five megabytes': Buffer.from(`From: a@b.org\r\nX-Long: ${'y'.repeat(5_000_000)}\r\n\r\ntext`),
    'a header of a million lines': Buffer.from(`From: a@b.org\r\nX-Long: y\r\n${' y\r\n'.repeat(1_000_000)}\r\ntext`),
    'encoded words without end': Buffer.from(
      `From: =?utf-8?q?${'=?utf-8?q?'.repeat(20_000)}\r\nSubject: =?utf-8?b?////?=\r\n\r\ntext`,
    ),
    'a hundred thousand addresses': Buffer.from(`To: ${'"a" <a@b.org>, '.repeat(100_000)}\r\nFrom: a@b.org\r\n\r\ntext`),
    'invalid base64': Buffer.from('From: a@b.org\r\nContent-Transfer-Encoding: base64\r\n\r\n=====\r\n\u0000§$%&/()'),
  },
}))

parserConformance('mbox', async () => ({
  bytes: makeMbox([
    makeMail({ html: HTML }),
    makeMail({ subject: 'Re: The harbour', from: 'bob@example.org', text: 'Thanks.\nFrom noon on?\n\n> It opens at nine.' }),
  ]),
  fileName: 'harbour.mbox',
  mediaType: 'application/mbox',
  expected: {
    engine: 'postal-mime',
    title: null,
    pageCount: 2,
    texts: [
      'The harbour',
      ...header,
      'by night',
      'Re: The harbour',
      'From: bob@example.org',
      'Thanks.\nFrom noon on?',
      'It opens',
    ],
    kinds: ['heading', 'paragraph', 'list_item', 'table_row'],
  },
  broken: {
    'a separator and nothing else': Buffer.from('From a@b.org Fri May  3 14:05:00 2024\n'),
    'ten thousand separators': Buffer.from('From a@b.org Fri May  3 14:05:00 2024\n\n'.repeat(10_000)),
    'a message that is damaged': makeMbox([
      makeMail(),
      Buffer.from(`From: a@b.org\r\nX-Long: ${'y'.repeat(5_000_000)}\r\n\r\ntext`),
      makeMail(),
    ]),
  },
}))

parserConformance('msg', async () => ({
  bytes: makeMsg({ html: HTML, attachments: [{ name: 'a.txt', bytes: Buffer.from('attached') }] }),
  fileName: 'harbour.msg',
  mediaType: 'application/vnd.ms-outlook',
  expected: {
    engine: 'msgreader',
    title: 'The harbour',
    pageCount: 1,
    texts: ['The harbour', ...header, 'Date: 3 May 2024', 'The ferry leaves', 'by night', 'Monday'],
    kinds: ['heading', 'paragraph', 'list_item', 'table_row'],
  },
  broken: {
    'a chain of sectors that is a circle': circular(makeMsg({ body: 'x'.repeat(20_000) })),
    'a list of allocation tables that is a circle': circularList(makeMsg()),
  },
}))

/** Makes each sector of the longest chain lead to the one before it. */
function circular(bytes: Buffer): Buffer {
  const fat = 512 * (bytes.readUInt32LE(76) + 1)
  for (let sector = 1; sector < 20; sector++) bytes.writeUInt32LE(sector - 1, fat + 4 * sector)
  return bytes
}

function circularList(bytes: Buffer): Buffer {
  bytes.writeUInt32LE(0, 68)
  bytes.writeUInt32LE(0, 512 + 508)
  return bytes
}
