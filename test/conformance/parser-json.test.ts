import { parserConformance } from './parser.ts'

const SOURCE = `{
  // The office keeps this list.
  "harbour": {
    "keeper": "Gr\\u00fc\\u00dfe vom Kai",
    "berths": [1, 2, 3]
  },
  "ferries": [
    { "name": "Alma", "note": "first\\nsecond" },
    { "name": "Alma" }
  ],
}
`

parserConformance('json', async () => ({
  bytes: Buffer.from(SOURCE),
  fileName: 'harbour.json',
  mediaType: 'application/json',
  expected: {
    engine: 'json',
    encoding: 'utf-8',
    title: null,
    pageCount: 1,
    texts: ['// The office', '"keeper": "Grüße vom Kai"', '"ferries": [', '"first second"', '{ "name": "Alma" }'],
    kinds: ['code'],
  },
  broken: {
    'a million lists in each other': Buffer.from('['.repeat(1_000_000)),
    'a million objects in each other': Buffer.from('{"a":'.repeat(1_000_000)),
    'a string that is never closed': Buffer.from(`{"a": "${'b'.repeat(1_000_000)}`),
    'backslashes at the end': Buffer.from('{"a": "\\\\\\'),
    'a million commas': Buffer.from(`[${','.repeat(1_000_000)}]`),
    'more brackets closed than opened': Buffer.from(']}}]'.repeat(100_000)),
    'escapes of half a character': Buffer.from('{"a": "\\ud83d", "b": "\\u12"}'),
    'two hundred thousand records': Buffer.from('{"a":1}\n'.repeat(200_000)),
  },
}))
