import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEFAULT_LIMITS } from '../../src/config/config.ts'
import type { Page } from '../../src/core/parsed.ts'
import { parseFile } from '../../src/parse/parse-file.ts'
import type { ParserInput, ParseSummary } from '../../src/parse/parser.ts'
import { sniff } from '../../src/parse/sniff/sniff.ts'

/** Writes bytes to a file that exists while `use` runs. */
export async function withFile<T>(bytes: Buffer | string, use: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'docsearch-parse-'))
  try {
    const file = join(folder, 'upload')
    await writeFile(file, bytes)
    return await use(file)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Sniffs and parses in this process. */
export function parseBytes(
  bytes: Buffer | string,
  name: string,
  options: Partial<Pick<ParserInput, 'pdfEngine' | 'limits'>> = {},
): Promise<ParseSummary & { mediaType: string; pages: Page[] }> {
  return withFile(bytes, async (file) => {
    const { mediaType } = await sniff(file, name)
    const pages: Page[] = []
    const summary = await parseFile(
      { file, mediaType, name, limits: DEFAULT_LIMITS, pdfEngine: 'pdfium', ...options },
      { open() {}, page: (page) => pages.push(page) },
    )
    return { ...summary, mediaType, pages }
  })
}

/** Returns a page's blocks as pairs of kind (with level) and text. */
export function blocksOf(page: Page | undefined): [string, string][] {
  return (page?.blocks ?? []).map((block) => [
    `${block.kind}${block.kind === 'heading' ? block.level : ''}`,
    page!.text.slice(block.start, block.end),
  ])
}
