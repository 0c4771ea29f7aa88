import { parserConformance } from './parser.ts'

const SOURCE = `<!doctype html><html><head><meta charset="iso-8859-2"><title>Umowa najmu</title></head><body>
<nav><a href="/">Start</a></nav>
<h1>Najem</h1><p>Czynsz p\xB3aci si\xEA z g\xF3ry.</p><ul><li>przelewem</li></ul>
<table><tr><th>Miesi\xB1c</th><th>Czynsz</th></tr><tr><td>maj</td><td>900</td></tr></table>
<pre>IBAN
  PL00</pre><script>track()</script></body></html>`

parserConformance('html', async () => ({
  bytes: Buffer.from(SOURCE, 'latin1'),
  fileName: 'umowa.html',
  mediaType: 'text/html',
  expected: {
    engine: 'htmlparser2',
    encoding: 'iso-8859-2',
    title: 'Umowa najmu',
    pageCount: 1,
    texts: ['Najem', 'Czynsz płaci się z góry.', 'przelewem', 'Miesiąc | Czynsz', 'maj | 900', 'IBAN\n  PL00'],
    kinds: ['heading', 'paragraph', 'list_item', 'table_row', 'code'],
  },
  broken: {
    'twenty thousand open elements': Buffer.from(`${'<div><table><tr><td><ul><li>'.repeat(3_500)}core`),
    'elements closed that were never opened': Buffer.from('</td></tr></table></ul></li></pre></h1></main></nav>text</body>'),
  },
}))
