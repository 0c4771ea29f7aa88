import type { ReadFile } from './documents.ts'
import { mean } from './metrics.ts'
import { VERDICTS } from './verdicts.ts'

/** A PDF with fewer words does not count. */
const MIN_WORDS = 20
/** Below this figure, a file needs a verdict. */
const CLOSE = 0.95
/** The figures to reach. */
const GOALS = { pdfRecall: 0.9, pdfBigrams: 0.83, docxRecall: 0.97, encodings: 0.98 }
/** A test file's name says its encoding. The parser may also name one of these supersets. */
const SUPERSETS: Record<string, string[]> = { 'iso-8859-1': ['windows-1252'], 'utf-16': ['utf-16be'], gb18030: ['gbk'] }

export interface DocumentsReport {
  markdown: string
  /** Figures below their goal, and files without a verdict. */
  problems: string[]
}

export function reportOf(files: readonly ReadFile[]): DocumentsReport {
  const compared = files.flatMap((file) => (file.overlap === null ? [] : [{ ...file, overlap: file.overlap }]))
  const pdf = compared.filter(
    ({ kind, overlap, manifestWords }) => kind === 'pdf' && Math.max(overlap.words, manifestWords) >= MIN_WORDS,
  )
  const docx = compared.filter(({ kind }) => kind === 'docx')
  const encodings = files.filter(({ kind, failure }) => kind === 'txt' && failure === null)
  const figures: [string, number, number, number][] = [
    [
      `PDF with ${MIN_WORDS} words or more: mean token recall`,
      pdf.length,
      mean(pdf.map((file) => file.overlap.recall)),
      GOALS.pdfRecall,
    ],
    ['the same: mean bigram F1', pdf.length, mean(pdf.map((file) => file.overlap.bigramF1)), GOALS.pdfBigrams],
    ['DOCX: mean token recall', docx.length, mean(docx.map((file) => file.overlap.recall)), GOALS.docxRecall],
    [
      'text files with the right encoding',
      encodings.length,
      mean(encodings.map((file) => (hasItsEncoding(file) ? 1 : 0))),
      GOALS.encodings,
    ],
  ]
  const apart = compared.filter(({ overlap }) => overlap.recall < CLOSE || overlap.bigramF1 < CLOSE)
  const failed = files.filter(({ failure }) => failure !== null)
  const edges = pdf.flatMap((file) => file.edges ?? [])
  const words = edges.reduce((sum, file) => sum + file.words, 0)
  const wrong = (kind: 'joined' | 'split'): string =>
    ((edges.reduce((sum, file) => sum + file[kind].length, 0) / words) * 1000).toFixed(2)
  const markdown = [
    '| what | files | figure | goal |',
    '|---|---|---|---|',
    ...figures.map(([what, count, figure, goal]) => `| ${what} | ${count} | ${share(figure)} | ≥ ${share(goal)} |`),
    '',
    `Every one of the ${files.length} files ended as text or with an error code, and no parser process was left running. Refused: ${failed.map(({ file, failure }) => `${file} (${failure})`).join(', ')}.`,
    '',
    `Of 1,000 words of these PDFs ${wrong('joined')} are two and ${wrong('split')} are half a word in the reference, no matter which text is right.`,
    '',
    `Files with a token recall or bigram F1 below ${share(CLOSE)}, and which of the two texts is right:`,
    '',
    '| file | words | recall | bigram F1 | right is |',
    '|---|---|---|---|---|',
    ...apart.map(
      ({ file, overlap }) =>
        `| ${file} | ${overlap.words} | ${share(overlap.recall)} | ${share(overlap.bigramF1)} | ${VERDICTS[file] ?? 'not looked at yet'} |`,
    ),
  ].join('\n')
  return {
    markdown,
    problems: [
      ...figures.flatMap(([what, , figure, goal]) =>
        figure < goal ? [`${what}: ${share(figure)}, less than ${share(goal)}`] : [],
      ),
      ...apart.flatMap(({ file }) =>
        VERDICTS[file] === undefined ? [`${file} has no verdict in test/quality/verdicts.ts`] : [],
      ),
      ...failed.flatMap(({ file, failure }) =>
        failure === 'parser_crashed' || failure === 'parse_timeout' ? [`${file}: ${failure}`] : [],
      ),
    ],
  }
}

function hasItsEncoding({ file, document }: ReadFile): boolean {
  const told = String(document?.facts['encoding']).toLowerCase()
  const name = /__(.+)\.(?:txt|smi|be)$/.exec(file)?.[1]?.replace('_', '-') ?? ''
  const wanted = name === 'utf-16le' ? ['utf-16le'] : [name, name.replace('-', '_'), ...(SUPERSETS[name] ?? [])]
  return wanted.includes(told)
}

function share(figure: number): string {
  return figure.toFixed(3).replace(/^0/, '')
}
