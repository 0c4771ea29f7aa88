import { parserConformance } from './parser.ts'

const SOURCE = 'Monat;Miete;Notiz\r\nMai;"1.234,50";"bar; am Kai"\r\n\r\nJuni;900;"sagt ""Gr\xFC\xDFe"""\r\n'

parserConformance('csv', async () => ({
  bytes: Buffer.from(SOURCE, 'latin1'),
  fileName: 'miete.csv',
  mediaType: 'text/csv',
  expected: {
    engine: 'csv',
    encoding: 'windows-1252',
    title: null,
    pageCount: 1,
    texts: ['Monat | Miete | Notiz', 'Mai | 1.234,50 | bar; am Kai', 'Juni | 900 | sagt "Grüße"'],
    kinds: ['table_row'],
  },
  readsBeginning: true,
  broken: {
    'a quote that is never closed': Buffer.from(`a,b\n"c,1\n${'d,2\n'.repeat(1_000)}`),
    'only delimiters': Buffer.from(',,,\n;;;\n\t\t\n'),
    'a hundred thousand columns': Buffer.from('1,'.repeat(100_000)),
    'quotes in quotes': Buffer.from('"""",""""""\n"""\n'),
  },
}))
