import { makeZip, type ZipEntry } from './make-zip.ts'

const NAMES = ['office', 'style', 'text', 'table', 'draw', 'fo', 'svg', 'presentation']
const NAMESPACES = NAMES.map((name) => `xmlns:${name}="urn:${name}"`).join(' ')

/** Returns an OpenDocument file. `content` is the XML in the body, and `styles` are automatic styles. */
export function makeOdf(
  kind: 'text' | 'spreadsheet' | 'presentation',
  content: string,
  { styles = '', extra = [], manifest = '' }: { styles?: string; extra?: readonly ZipEntry[]; manifest?: string } = {},
): Buffer {
  return makeZip([
    { name: 'mimetype', data: `application/vnd.oasis.opendocument.${kind}` },
    {
      name: 'content.xml',
      data: `<office:document-content ${NAMESPACES}><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:${kind}>${content}</office:${kind}></office:body></office:document-content>`,
    },
    { name: 'META-INF/manifest.xml', data: `<manifest>${manifest}</manifest>` },
    { name: 'meta.xml', data: '<office:meta xmlns:office="o" xmlns:dc="d"><dc:title>Harbour rules</dc:title></office:meta>' },
    ...extra,
  ])
}

export function odfCell(text: string, attributes = ''): string {
  return `<table:table-cell ${attributes}><text:p>${text}</text:p></table:table-cell>`
}

export function odfRow(cells: readonly string[], attributes = ''): string {
  return `<table:table-row ${attributes}>${cells.map((cell) => (cell.startsWith('<') ? cell : odfCell(cell))).join('')}</table:table-row>`
}
