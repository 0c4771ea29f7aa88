import type { ProjectSegments } from '../../index/segments/store/project-segments.ts'
import type { FindAnswer, FindRequest } from '../find-request.ts'

/** Sent when segments of some projects have changed. Each project replaces the earlier state of that project in the thread. */
export interface SegmentsChanged {
  kind: 'segments'
  /** The number that `SearchThreads` gave the index. */
  index: number
  projects: readonly ProjectSegments[]
}

/** Sent when no further task is for this index. */
export interface IndexClosed {
  kind: 'closed'
  index: number
}

/** Spans [start, end) in UTF-16 code units. */
export type Spans = [start: number, end: number][]

export interface FindTask {
  kind: 'find'
  index: number
  request: FindRequest
}

export interface HighlightTask {
  kind: 'highlight'
  texts: readonly string[]
  terms: readonly string[]
}

/** Asks the thread for an answer after it has handled all earlier messages. */
export interface SettleTask {
  kind: 'settle'
}

export type Task = FindTask | HighlightTask | SettleTask

/** The answer to each kind of task. */
export interface Answers {
  find: FindAnswer
  highlight: Spans[]
  settle: null
}

/** A message to a thread. It handles messages in order, so a task sees every change that was sent before it. */
export type Message = SegmentsChanged | IndexClosed | Task

/** The answer of a thread to its oldest unanswered task. */
export type Reply =
  | { value: Answers[Task['kind']] }
  /** The name of a segment in which the task has found damage on disk. Another attempt can answer without this segment. */
  | { damagedSegment: string }
  | { failure: { name: string; message: string; stack: string | undefined; code: string | undefined } }
