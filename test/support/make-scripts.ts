/** Glyphs without a width that the file places one by one, this much above the line. */
export interface Raised {
  marks: RegExp
  by: number
}

/** The text that the file gives for each glyph: several characters, compatibility forms, right-to-left scripts. */
type Glyphs = readonly string[]

/**
 * A PDF of one page with paragraphs of lines of text in any script, each glyph with the character that it stands for and no font: what a
 * reader has to go by is what the file says of its glyphs. A line of Hebrew or Arabic is set as printed, from the left.
 */
export function makeScripts(paragraphs: readonly (readonly Glyphs[])[], note: string, raised: Raised | null = null): Buffer {
  const glyphs = [...new Set(paragraphs.flat(2))]
  const code = (glyph: string): string => hex(glyphs.indexOf(glyph) + 1)
  const map = glyphs.map(
    (glyph) => `<${code(glyph)}> <${[...glyph].map((character) => hex(character.codePointAt(0)!)).join('')}>`,
  )
  const cmap = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /G def /CMapType 2 def\n1 begincodespacerange <0000> <ffff> endcodespacerange\n${glyphs.length} beginbfchar\n${map.join('\n')}\nendbfchar endcmap end end`
  const show = (line: Glyphs, x: number, y: number): string => `BT /F 12 Tf ${x} ${y} Td <${line.map(code).join('')}> Tj ET`
  const showMarks = (line: Glyphs, y: number, { marks, by }: Raised): string => {
    let x = 72
    return line
      .map((glyph) => {
        if (marks.test(glyph)) return show([glyph], x - 2, y + by)
        x += 6
        return show([glyph], x - 6, y)
      })
      .join('\n')
  }
  const shown = paragraphs.flatMap((lines, i) =>
    lines.map((line, j) => {
      const y = 720 - i * 60 - j * 14
      return raised === null ? show(line, 72, y) : showMarks(line, y, raised)
    }),
  )
  const widths =
    raised === null ? '' : `/W[${glyphs.map((glyph, i) => `${i + 1}[${raised.marks.test(glyph) ? 0 : 500}]`).join(' ')}]`
  return pdfOf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Count 1/Kids[3 0 R]>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>/Annots[9 0 R]>>',
    stream(shown.join('\n')),
    '<</Type/Font/Subtype/Type0/BaseFont/Glyphs/Encoding/Identity-H/DescendantFonts[6 0 R]/ToUnicode 8 0 R>>',
    `<</Type/Font/Subtype/CIDFontType2/BaseFont/Glyphs/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/DW 500${widths}/FontDescriptor 7 0 R>>`,
    '<</Type/FontDescriptor/FontName/Glyphs/Flags 4/FontBBox[0 -200 1000 800]/ItalicAngle 0/Ascent 800/Descent -200/CapHeight 700/StemV 80>>',
    stream(cmap),
    `<</Type/Annot/Subtype/FreeText/Rect[72 60 400 90]/Contents(${note})/DA(/Helv 12 Tf)>>`,
  ])
}

function stream(content: string): string {
  return `<</Length ${content.length}>>stream\n${content}\nendstream`
}

function pdfOf(objects: readonly string[]): Buffer {
  let pdf = '%PDF-1.7\n'
  const entries = objects.map((body, i) => {
    const entry = `${String(pdf.length).padStart(10, '0')} 00000 n \n`
    pdf += `${i + 1} 0 obj\n${body}\nendobj\n`
    return entry
  })
  const size = objects.length + 1
  return Buffer.from(
    `${pdf}xref\n0 ${size}\n0000000000 65535 f \n${entries.join('')}trailer<</Size ${size}/Root 1 0 R>>\nstartxref\n${pdf.length}\n%%EOF\n`,
    'latin1',
  )
}

function hex(value: number): string {
  return value.toString(16).padStart(4, '0')
}
