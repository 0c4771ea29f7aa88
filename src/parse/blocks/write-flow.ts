import type { ParserOutput } from '../parser.ts'
import type { Flow } from './flow.ts'

/** Writes the pages of a flow to the output and returns what the summary needs of them. */
export function writeFlow(flow: Flow, output: ParserOutput): { pageCount: number; firstHeading: Flow['firstHeading'] } {
  const pages = flow.build()
  output.open(pages.length)
  for (const page of pages) output.page(page)
  return { pageCount: pages.length, firstHeading: flow.firstHeading }
}
