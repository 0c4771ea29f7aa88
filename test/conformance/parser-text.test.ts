import { parserConformance } from './parser.ts'

parserConformance('text', async () => ({
  bytes: Buffer.from('Grüße aus Köln.\r\n\r\nAn der Brücke:\tnichts Neues.\n\fZweite Seite.\n'),
  fileName: 'brief.txt',
  mediaType: 'text/plain',
  expected: {
    engine: 'text',
    encoding: 'utf-8',
    title: null,
    pageCount: 2,
    texts: ['Grüße aus Köln.', 'An der Brücke:\tnichts Neues.', 'Zweite Seite.'],
    kinds: ['paragraph'],
  },
}))

parserConformance('text in an encoding of its own', async () => ({
  bytes: Buffer.from('Grüße aus Köln. Die Straße führt über die Brücke.\n', 'latin1'),
  fileName: 'brief.txt',
  mediaType: 'text/plain',
  expected: {
    engine: 'text',
    encoding: 'windows-1252',
    title: null,
    pageCount: 1,
    texts: ['Grüße aus Köln.', 'Die Straße führt über die Brücke.'],
    kinds: ['paragraph'],
  },
  broken: { 'half of a pair in UTF-16': Buffer.from('\uFEFFBroken \uD83D here, \uDE00 and there.', 'utf16le') },
}))
