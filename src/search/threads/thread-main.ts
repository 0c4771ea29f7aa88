import { answerCalls } from '../../core/thread.ts'
import { DamagedSegment } from '../../index/segments/failures.ts'
import { highlight } from '../../text/highlight.ts'
import { answerRequest } from '../find-passages.ts'
import { OpenIndex } from './open-index.ts'
import type { SearchCalls } from './protocol.ts'

const indexes = new Map<number, OpenIndex>()

answerCalls<SearchCalls>({
  segments({ index, projects }) {
    openIndex(index).change(projects)
  },

  closed({ index }) {
    indexes.delete(index)
  },

  find({ index, request }) {
    try {
      return answerRequest(openIndex(index).projectsOf(request.query.projectIds), request)
    } catch (error) {
      if (error instanceof DamagedSegment) return { damagedSegment: error.segment }
      throw error
    }
  },

  highlight: ({ texts, terms }) => highlight(texts, terms),

  settle: () => null,
})

function openIndex(number: number): OpenIndex {
  let index = indexes.get(number)
  if (index === undefined) indexes.set(number, (index = new OpenIndex()))
  return index
}
