import { createPrompt, isDownKey, isEnterKey, isTabKey, isUpKey, useEffect, useKeypress, useState } from '@inquirer/core'
import type { OutputStream } from './view/screen.ts'
import { DocsearchError } from '../core/errors.ts'
import { oneLine, printed, safe, safeSameLength, type Styled } from './view/safe.ts'
import { textWidth } from './view/width.ts'

/** What `draw` shows below the line in which the user types. */
export interface Browsed<T> {
  items: readonly T[]
  /** Index of the selected item. */
  selected: number
  /** A remark about the items, such as a corrected query, or the error of the last search. */
  note: string
  isError: boolean
  /** True while there is nothing to search for. */
  isEmpty: boolean
}

export interface Size {
  columns: number
  rows: number
}

export interface Browse<T> {
  message: string
  /** Finds the items for what the user typed. The signal aborts when the user has typed more. */
  find(query: string, signal: AbortSignal): Promise<{ items: readonly T[]; note: string }>
  /** Returns at most `size.rows` lines of at most `size.columns` columns. */
  draw(browsed: Browsed<T>, size: Size): Styled
}

/** A search starts when the user has typed nothing for this long, so that not every letter is a request. */
const PAUSE_MS = 150
const NOTHING = { items: [], note: '', isError: false }

/**
 * Searches while the user types, and returns the item that they choose with Enter, or null after Esc. Throws Inquirer's
 * ExitPromptError at Ctrl-C.
 */
export function browse<T>(question: Browse<T>, context: { output: OutputStream; signal: AbortSignal }): Promise<T | null> {
  return promptOf<T>(context.output)(question, { ...context, clearPromptOnDone: true })
}

function promptOf<T>(output: OutputStream) {
  return createPrompt<T | null, Browse<T>>((question, done) => {
    const [query, setQuery] = useState('')
    const [found, setFound] = useState<Omit<Browsed<T>, 'selected' | 'isEmpty'>>(NOTHING)
    const [selected, setSelected] = useState(0)
    const [size, setSize] = useState(sizeOf(output))
    const wanted = query.trim()

    useEffect(() => {
      const resized = () => setSize(sizeOf(output))
      output.on('resize', resized)
      return () => output.off('resize', resized)
    }, [])

    useEffect(() => {
      const controller = new AbortController()
      const { signal } = controller
      const show = (next: typeof found) => {
        // The user has typed more, so this is the answer to an older query.
        if (signal.aborted) return
        setSelected(0)
        setFound(next)
      }
      if (wanted === '') show(NOTHING)
      const search = () =>
        question.find(wanted, signal).then(
          (answer) => show({ ...answer, isError: false }),
          (error: unknown) => show({ items: [], note: messageOf(error), isError: true }),
        )
      const timer = wanted === '' ? undefined : setTimeout(() => void search(), PAUSE_MS)
      return () => {
        clearTimeout(timer)
        controller.abort()
      }
    }, [wanted])

    useKeypress((key, readline) => {
      const item = found.items[selected]
      if (key.name === 'escape') return done(null)
      if (isEnterKey(key) && item !== undefined) return done(item)
      const step = isUpKey(key) ? -1 : isDownKey(key) ? 1 : 0
      if (step !== 0) setSelected(Math.max(0, Math.min(selected + step, found.items.length - 1)))
      if (step === 0 && !isEnterKey(key) && !isTabKey(key)) return setQuery(readline.line)
      // Enter empties the line, a tab stays in it, and arrow keys bring older lines.
      if (readline.line === query) return
      readline.clearLine(0)
      readline.write(query)
    })

    const line = safe`${oneLine(question.message)} ${safeSameLength(query).replaceAll('\n', ' ')}`
    // The first row scrolls away if the last one is used, and a line that is too long takes several rows.
    const rows = size.rows - 1 - Math.ceil((textWidth(printed(line)) + 1) / size.columns)
    const below = question.draw({ ...found, selected, isEmpty: wanted === '' }, { columns: size.columns - 1, rows })
    return [printed(line), printed(below)]
  })
}

function sizeOf({ columns = 80, rows = 24 }: OutputStream): Size {
  return { columns, rows }
}

function messageOf(error: unknown): string {
  if (error instanceof DocsearchError) return error.message
  return `Internal error: ${String(error)}`
}
