/** Says which text is right, docsearch's ("ours") or the reference's, when they differ in more than one word of twenty. The page itself decides. */
export const VERDICTS: Record<string, string> = {
  'pdf/sample-files__habibi-rotated.pdf':
    'reference: the page shows one Latin and one Arabic word; ours has the Arabic word twice, the second time as glyph codes of a font that maps its letters wrongly',
  'pdf/pypdf__issue-914-xmp-data.pdf':
    'ours: two stock lists in one frame, read row by row as printed; the reference reads column by column, so that no code is next to its article',
  'pdf/pdfplumber__issue-848.pdf':
    'ours: three of the eight pages are printed mirrored, and the reference reads every word on them backwards',
  'pdf/pdfplumber__ca-warn-report.pdf':
    'ours: every row of the table is complete and under its header; the reference separates the first columns of each page',
  'pdf/pdfminer.six__matplotlib.pdf':
    'about equal: the numbers of both axes; the reference begins with the vertical axis, ours with the horizontal one, which the file draws first',
  'pdf/pdf.js__issue18117.pdf':
    'reference in part: each line ends in Chinese characters separated by commas; the font maps all of them wrongly; the reference has only the commas, ours what the font says',
  'pdf/pdf.js__Type3WordSpacing.pdf':
    'ours: six lines of three words each, as printed; the reference cannot place the spaces of a Type 3 font and mixes the lines',
  'pdf/pdf.js__french_diacritics.pdf':
    'ours: a space follows each printed letter; the reference joins thirty letters into one word',
  'pdf/pdf.js__annotation-text-widget.pdf':
    'ours: the value of each field is below its label, and the value of the comb field is one word; the reference has 26 single letters, with another field between the first and the rest',
  'pdf/docling__right_to_left_01.pdf':
    'about equal: ours joins Latin and Arabic words that touch in print, and the reference separates them by an invisible mark; ours splits one Arabic word with a vowel sign, and the reference does not',
  'pdf/unstructured__korean-text-with-tables.pdf':
    'ours: the cells of a row are together; the reference puts the labels of the left column after the text of the right column',
  'pdf/unstructured__pdf-with-ocr-text.pdf':
    'ours: both have the faulty recognition under the scan; ours joins its spaced letters to one or two words ("lette r"), the reference has "l e t t e r"; neither is what the scan shows',
  'docx/mammoth.js__comments.docx': 'ours: the comments are text that a user may search for; the reference skips them',
  'docx/poi__bug65649.docx':
    'the same words; the reference draws tables with lines and wraps the text of each cell, which mixes the cells of a row',
}
