import { joined, safe } from './safe.ts'
import type { Printable, Styled } from './safe.ts'
import type { Style } from './style.ts'
import { textWidth, wrapped } from './width.ts'

interface Layout {
  width: number
  style: Style
}

const ITEM = /^(\s*)([-*]|\d+\.)\s+/

/**
 * Formats a page of docsearch's own documentation for a terminal: headings, paragraphs, lists, code blocks and tables. Each row of a table
 * becomes its first cell and, below it, the others.
 */
export function formatMarkdown(page: string, layout: Layout): Styled {
  return safe`${joined(
    blocksOf(page).map((block) => formatBlock(block, layout)),
    '\n\n',
  )}\n`
}

/** Returns the parts between blank lines. A code block is one part. */
function blocksOf(page: string): string[] {
  const blocks: string[][] = [[]]
  let isCode = false
  for (const line of page.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode
    if (line === '' && !isCode) blocks.push([])
    else blocks.at(-1)!.push(line)
  }
  return blocks.filter((block) => block.length > 0).map((block) => block.join('\n'))
}

function formatBlock(block: string, layout: Layout): Printable {
  const { width, style } = layout
  if (block.startsWith('#')) return style.bold(plain(block.replace(/^#+ /, '')))
  if (block.startsWith('```'))
    return block
      .split('\n')
      .slice(1, -1)
      .map((line) => `  ${line}`)
      .join('\n')
  if (block.startsWith('|')) return formatTableRows(block, layout)
  if (!ITEM.test(block)) return lines(block, width)
  return block
    .split(/\n(?=\s*(?:[-*]|\d+\.)\s)/)
    .map((item) => {
      const [mark = '', indent = '', bullet = ''] = ITEM.exec(item) ?? []
      const margin = ' '.repeat(indent.length + bullet.length + 1)
      return `${indent}${bullet} ${lines(item.slice(mark.length), width - margin.length).replaceAll('\n', `\n${margin}`)}`
    })
    .join('\n')
}

function formatTableRows(block: string, { width, style }: Layout): Styled {
  const rows = block.split('\n').map((row) =>
    row
      .replace(/^\||\|$/g, '')
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll('\\|', '|')),
  )
  const [header = [], , ...cells] = rows
  return joined(
    cells.map(([first = '', ...others]) => {
      // The last column explains. The columns between, such as the default of a setting, stand next to the first cell.
      const between = others
        .slice(0, -1)
        .map((cell, i) => ` · ${header[i + 1]} ${plain(cell)}`)
        .join('')
      const fits = textWidth(plain(first) + between) <= width
      const head = fits
        ? safe`${style.bold(plain(first))}${style.dim(between)}`
        : style.bold(lines(plain(first) + between, width))
      const meaning = lines(others.at(-1) ?? '', width - 4).replaceAll('\n', '\n    ')
      return safe`${head}\n    ${meaning}`
    }),
    '\n',
  )
}

function lines(text: string, width: number): string {
  return wrapped(withoutLinks(text.replace(/\s*\n\s*/g, ' ')), width).join('\n')
}

/** Removes the marks of code as well, from text that is bold anyway. */
function plain(text: string): string {
  return withoutLinks(text).replaceAll('`', '')
}

function withoutLinks(text: string): string {
  return text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
}
