/** Commands whose argument is a heading, with its level. */
export const HEADINGS: Readonly<Record<string, number>> = {
  title: 1,
  part: 1,
  chapter: 1,
  section: 2,
  subsection: 3,
  subsubsection: 4,
  paragraph: 5,
  subparagraph: 6,
  frametitle: 3,
}

export const LISTS: ReadonlySet<string> = new Set(['itemize', 'enumerate', 'description', 'compactitem', 'compactenum'])
export const TABLES: ReadonlySet<string> = new Set(['tabular', 'tabularx', 'longtable', 'tabulary', 'tabu', 'supertabular'])
/** Environments that stay as they are written. */
export const CODE: ReadonlySet<string> = new Set(['verbatim', 'Verbatim', 'lstlisting', 'minted', 'alltt', 'BVerbatim'])
export const MATH: ReadonlySet<string> = new Set([
  'equation',
  'align',
  'gather',
  'multline',
  'eqnarray',
  'displaymath',
  'math',
  'flalign',
  'alignat',
])

/** Commands that print no text, with the number of their arguments. */
export const IGNORED: Readonly<Record<string, number>> = {
  ...counts(
    0,
    'maketitle tableofcontents listoffigures listoftables centering raggedright noindent newpage clearpage cleardoublepage hline toprule midrule bottomrule bigskip medskip smallskip hfill vfill appendix frontmatter mainmatter backmatter printindex relax tiny scriptsize footnotesize small normalsize large Large LARGE huge Huge bf it rm sf tt em sc bfseries itshape ttfamily sffamily rmfamily protect left right quad qquad',
  ),
  ...counts(
    1,
    'label ref eqref pageref cite citep citet citeauthor nocite autoref cref Cref input include includegraphics bibliography bibliographystyle usepackage RequirePackage documentclass pagestyle thispagestyle vspace hspace index cline cmidrule color pagenumbering hypersetup graphicspath lstset captionsetup newif phantom hypertarget bibitem usetikzlibrary includeonly subfile lstinputlisting verbatiminput',
  ),
  ...counts(
    2,
    'newcommand renewcommand providecommand setlength addtolength setcounter addtocounter newtheorem definecolor rule newcolumntype DeclareMathOperator let def',
  ),
  ...counts(3, 'newenvironment renewenvironment'),
}

function counts(count: number, names: string): Record<string, number> {
  return Object.fromEntries(names.split(' ').map((name) => [name, count]))
}

/** Commands that put an accent on the letter after them, with the combining character. */
export const ACCENTS: Readonly<Record<string, string>> = {
  "'": '\u0301',
  '`': '\u0300',
  '^': '\u0302',
  '"': '\u0308',
  '~': '\u0303',
  '=': '\u0304',
  '.': '\u0307',
  c: '\u0327',
  v: '\u030c',
  u: '\u0306',
  H: '\u030b',
  k: '\u0328',
  r: '\u030a',
}

export function combine(letter: string, accent: string): string {
  return (letter + accent).normalize('NFC')
}

export const SYMBOLS: Readonly<Record<string, string>> = {
  ss: 'ß',
  ae: 'æ',
  AE: 'Æ',
  oe: 'œ',
  OE: 'Œ',
  o: 'ø',
  O: 'Ø',
  aa: 'å',
  AA: 'Å',
  l: 'ł',
  L: 'Ł',
  i: 'ı',
  j: 'ȷ',
  S: '§',
  P: '¶',
  copyright: '©',
  pounds: '£',
  euro: '€',
  ldots: '…',
  dots: '…',
  textellipsis: '…',
  textbackslash: '\\',
  textasciitilde: '~',
  textasciicircum: '^',
  textbar: '|',
  textless: '<',
  textgreater: '>',
  textendash: '–',
  textemdash: '—',
  LaTeX: 'LaTeX',
  TeX: 'TeX',
  LaTeXe: 'LaTeX2e',
  BibTeX: 'BibTeX',
  newline: '\n',
  linebreak: '\n',
}
