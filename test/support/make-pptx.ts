import { makeZip, type ZipEntry } from './make-zip.ts'

export const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const NAMESPACES = `xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="${RELATIONSHIPS}"`

export interface SlideXml {
  /** The shapes as XML. */
  shapes: string
  isHidden?: boolean
  notes?: string
  /** Further relationships: their types and targets, with the IDs rel1, rel2 … */
  related?: readonly (readonly [type: string, target: string])[]
}

/** Returns the relationships of a part, with the IDs rel1, rel2 … */
export function relationships(targets: readonly (readonly [type: string, target: string])[]): string {
  const all = targets.map(
    ([type, target], i) => `<Relationship Id="rel${i + 1}" Type="${RELATIONSHIPS}/${type}" Target="${target}"/>`,
  )
  return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${all.join('')}</Relationships>`
}

/** Returns a text as a shape, in a placeholder of this type. Lines are paragraphs, and spaces before them their depth. */
export function textShape(text: string, placeholder?: string): string {
  const paragraphs = text.split('\n').map((line) => {
    const depth = line.length - line.trimStart().length
    return `<a:p><a:pPr lvl="${depth}"/><a:r><a:t>${line.trim()}</a:t></a:r></a:p>`
  })
  const nv = placeholder === undefined ? '' : `<p:ph type="${placeholder}"/>`
  return `<p:sp><p:nvSpPr><p:cNvPr id="2" name="x"/><p:cNvSpPr/><p:nvPr>${nv}</p:nvPr></p:nvSpPr><p:txBody><a:bodyPr/>${paragraphs.join('')}</p:txBody></p:sp>`
}

export function tableShape(rows: readonly (readonly string[])[]): string {
  const cell = (text: string): string => `<a:tc><a:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></a:txBody></a:tc>`
  const xml = rows.map((cells) => `<a:tr h="1">${cells.map(cell).join('')}</a:tr>`).join('')
  return `<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tblPr firstRow="1"/>${xml}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>`
}

/** Returns a presentation. */
export function makePptx(slides: readonly SlideXml[], extra: readonly ZipEntry[] = []): Buffer {
  const names = slides.map((_slide, i) => `slide${i + 1}`)
  return makeZip([
    {
      name: '[Content_Types].xml',
      data: '<Types><Override PartName="/ppt/presentation.xml" ContentType="application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"/></Types>',
    },
    { name: '_rels/.rels', data: relationships([['officeDocument', 'ppt/presentation.xml']]) },
    {
      name: 'ppt/presentation.xml',
      data: `<p:presentation ${NAMESPACES}><p:sldIdLst>${names.map((_name, i) => `<p:sldId id="${256 + i}" r:id="rel${i + 1}"/>`).join('')}</p:sldIdLst></p:presentation>`,
    },
    { name: 'ppt/_rels/presentation.xml.rels', data: relationships(names.map((name) => ['slide', `slides/${name}.xml`])) },
    ...slides.flatMap(({ shapes, isHidden, notes, related = [] }, i): ZipEntry[] => [
      {
        name: `ppt/slides/${names[i]}.xml`,
        data: `<p:sld ${NAMESPACES}${isHidden ? ' show="0"' : ''}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`,
      },
      {
        name: `ppt/slides/_rels/${names[i]}.xml.rels`,
        data: relationships([
          ...related,
          ...(notes === undefined ? [] : [['notesSlide', `../notesSlides/${names[i]}.xml`] as const]),
        ]),
      },
      ...(notes === undefined
        ? []
        : [
            {
              name: `ppt/notesSlides/${names[i]}.xml`,
              data: `<p:notes ${NAMESPACES}><p:cSld><p:spTree>${textShape(notes, 'body')}${textShape('7', 'sldNum')}</p:spTree></p:cSld></p:notes>`,
            },
          ]),
    ]),
    ...extra,
  ])
}
