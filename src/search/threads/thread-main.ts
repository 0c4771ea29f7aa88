import { parentPort } from 'node:worker_threads'
import { DamagedSegment } from '../../index/segments/damaged-segment.ts'
import { highlight } from '../../text/highlight.ts'
import { answerRequest } from '../find-passages.ts'
import { OpenIndex } from './open-index.ts'
import type { Answers, Message, Reply, Task } from './protocol.ts'

const indexes = new Map<number, OpenIndex>()

parentPort!.on('message', (message: Message) => {
  if (message.kind === 'segments') openIndex(message.index).change(message.projects)
  else if (message.kind === 'closed') indexes.delete(message.index)
  else parentPort!.postMessage(reply(message))
})

function openIndex(number: number): OpenIndex {
  let index = indexes.get(number)
  if (index === undefined) indexes.set(number, (index = new OpenIndex()))
  return index
}

function reply(task: Task): Reply {
  try {
    return { value: answer(task) }
  } catch (error) {
    if (error instanceof DamagedSegment) return { damagedSegment: error.segment }
    const { name, message, stack } = error instanceof Error ? error : new Error(String(error))
    return { failure: { name, message, stack, code: codeOf(error) } }
  }
}

function answer(task: Task): Answers[Task['kind']] {
  switch (task.kind) {
    case 'find':
      return answerRequest(openIndex(task.index).projectsOf(task.request.query.projectIds), task.request)
    case 'settle':
      return null
    case 'highlight':
      return highlight(task.texts, task.terms)
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
