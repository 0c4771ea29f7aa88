/** Where our text and the reference disagree on more than one word in twenty: which of them is right, as seen on the page itself, and why. */
export const VERDICTS: Record<string, string> = {
  'pdf/sample-files__habibi-rotated.pdf':
    'reference: the page shows one word in Latin and one in Arabic script; we have the Arabic one twice, the second time in the glyph codes of a font that maps its letters wrongly',
  'pdf/pypdf__issue-914-xmp-data.pdf':
    'ours: two lists of stock side by side in one frame, read row by row as the frame is printed; the reference reads column by column, so that no code stands beside its article',
  'pdf/pdfplumber__issue-848.pdf':
    'ours: three of the eight pages are printed mirrored, and the reference has every word of them back to front',
  'pdf/pdfplumber__ca-warn-report.pdf':
    'ours: every row of the table is whole and under its header; the reference tears off the first columns of each page',
  'pdf/pdfminer.six__matplotlib.pdf':
    'about equal: the figures of both axes, each by itself; the reference begins with the upright axis, ours with the other, which the file draws first',
  'pdf/pdf.js__issue18117.pdf':
    'reference in part: each line ends in Chinese characters parted by commas, of which it has the commas; the font maps all of them wrongly, and we give what it says',
  'pdf/pdf.js__Type3WordSpacing.pdf':
    'ours: six lines of three words each, as they are printed; the reference cannot place the spaces of a Type 3 font and mixes the lines',
  'pdf/pdf.js__french_diacritics.pdf':
    'ours: the letters are printed with a space after each; the reference runs thirty of them into one word',
  'pdf/pdf.js__annotation-text-widget.pdf':
    'ours: every field has its value below its label, and the value of the comb field is one word; the reference has it as 26 letters, the first of them parted from the rest by another field',
  'pdf/docling__right_to_left_01.pdf':
    'about equal: where Latin and Arabic words touch in print we keep them together, the reference parts them by an invisible mark; one Arabic word with a vowel sign is torn by us and whole in the reference',
  'pdf/unstructured__korean-text-with-tables.pdf':
    'ours: cells of a row stand together; the reference puts the labels of the left column after the text of the right one',
  'pdf/unstructured__pdf-with-ocr-text.pdf':
    'ours: the same faulty recognition under the scan, but its spaced letters are read as a word or two ("lette r"), where the reference has "l e t t e r"; neither is what the scan shows',
  'docx/mammoth.js__comments.docx':
    'ours: the comments are text that somebody wrote and may look for; the reference leaves them out',
  'docx/poi__bug65649.docx':
    'the same words; the reference draws its tables with lines and wraps the text of each cell, so that it mixes the cells of a row',
}
