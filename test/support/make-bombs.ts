import { deflateSync } from 'node:zlib'
import { makeZip } from './make-zip.ts'

/** Files made to break a parser: small files that unpack to large ones. */

/** Returns a PDF of these objects, of which the first is the catalog. */
export function rawPdf(objects: readonly (string | Buffer)[]): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')]
  const offsets: number[] = []
  let length = parts[0]!.length
  objects.forEach((body, index) => {
    const part = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), Buffer.from(body), Buffer.from('\nendobj\n')])
    offsets.push(length)
    length += part.length
    parts.push(part)
  })
  const xref = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  parts.push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${xref}trailer<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${length}\n%%EOF\n`,
    ),
  )
  return Buffer.concat(parts)
}

function stream(data: Buffer, filters: string): Buffer {
  return Buffer.concat([Buffer.from(`<</Length ${data.length}/Filter${filters}>>stream\n`), data, Buffer.from('\nendstream')])
}

function onePage(contents: Buffer): Buffer {
  return rawPdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Count 1/Kids[3 0 R]>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>',
    contents,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ])
}

/** Returns a PDF with `pages` pages that are all the same object. */
export function manyPagesPdf(pages: number): Buffer {
  return rawPdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Count ${pages}/Kids[${'3 0 R '.repeat(pages)}]>>`,
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]>>',
  ])
}

/** Returns a PDF with a page of `megabytes` of spaces, deflated twice. */
export function blanksPdf(megabytes: number): Buffer {
  const once = deflateSync(Buffer.alloc(megabytes * 1_000_000, 32), { level: 1 })
  return onePage(stream(deflateSync(once), '[/FlateDecode/FlateDecode]'))
}

/** Returns a PDF with a page of `megabytes` of operators that show text. */
export function operatorsPdf(megabytes: number): Buffer {
  const show = 'BT /F 9 Tf 10 10 Td (text) Tj ET\n'
  return onePage(stream(deflateSync(Buffer.from(show.repeat((megabytes * 1_000_000) / show.length))), '/FlateDecode'))
}

/**
 * Returns a PDF whose last page draws ten drawings, each of which draws ten, and so on, so that no parser finishes it. Readable pages can
 * come before it.
 */
export function endlessPdf({ goodPages = 0, levels = 12 } = {}): Buffer {
  const firstPage = 4
  const firstForm = firstPage + goodPages * 2 + 2
  const raw = (dictionary: string, content: string): string =>
    `<<${dictionary}/Length ${content.length}>>stream\n${content}\nendstream`
  const pages: string[] = []
  for (let i = 0; i < goodPages; i++) {
    pages.push(
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents ${firstPage + i * 2 + 1} 0 R/Resources<</Font<</F 3 0 R>>>>>>`,
    )
    pages.push(raw('', `BT /F 12 Tf 1 0 0 1 50 700 Tm (Good page ${i + 1}) Tj ET`))
  }
  const drawTen = '/X Do '.repeat(10)
  pages.push(
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents ${firstForm - 1} 0 R/Resources<</XObject<</X ${firstForm} 0 R>>>>>>`,
    raw('', drawTen),
  )
  const forms = Array.from({ length: levels }, (_, level) =>
    raw(`/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<</XObject<</X ${firstForm + level + 1} 0 R>>>>`, drawTen),
  )
  const kids = Array.from({ length: goodPages + 1 }, (_, i) => `${firstPage + i * 2} 0 R`).join(' ')
  return rawPdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Count ${goodPages + 1}/Kids[${kids}]>>`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    ...pages,
    ...forms,
    raw('/Type/XObject/Subtype/Form/BBox[0 0 612 792]', '0 0 m 1 1 l S'),
  ])
}

const TYPES =
  '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
const RELATIONS =
  '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>'

/** Returns a DOCX with this body of WordprocessingML. */
export function rawDocx(
  body: string,
  options: { prolog?: string; extra?: readonly { name: string; data: string | Buffer }[]; main?: string } = {},
): Buffer {
  const document = `<?xml version="1.0"?>${options.prolog ?? ''}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`
  return makeZip([
    { name: '[Content_Types].xml', data: TYPES },
    { name: '_rels/.rels', data: RELATIONS.replace('word/document.xml', options.main ?? 'word/document.xml') },
    { name: 'word/document.xml', data: document },
    ...(options.extra ?? []),
  ])
}

export function docxParagraph(text: string): string {
  return `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`
}

/** Returns a DOCX whose text inflates to `megabytes`. */
export function textDocx(megabytes: number): Buffer {
  return rawDocx(docxParagraph('blank '.repeat((megabytes * 1_000_000) / 6)))
}

/** Returns a DOCX with this many nested tables. */
export function nestedTablesDocx(depth: number): Buffer {
  return rawDocx('<w:tbl><w:tr><w:tc>'.repeat(depth) + docxParagraph('core') + '</w:tc></w:tr></w:tbl>'.repeat(depth))
}
