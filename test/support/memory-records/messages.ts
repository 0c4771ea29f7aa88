import { foldName } from '../../../src/core/fold-name.ts'
import { toPageList } from '../../../src/core/page-list.ts'
import type { MessageHeader } from '../../../src/core/parsed.ts'
import type { AnsweredMessage, MessageQuery, Messages } from '../../../src/records/messages.ts'
import { attachmentsOf } from './attachments.ts'
import type { MemoryStore } from './store.ts'

export function memoryMessages(store: MemoryStore): Messages {
  const messagesOf = (id: string) => store.messages.get(id) ?? []
  return {
    async find(projects, queries) {
      const found = new Map<string, number[] | null>()
      for (const { id, projectId } of store.documents.values()) {
        if (!projects.has(projectId)) continue
        const pages = messagesOf(id)
          .filter((message) => queries.some((query) => isMatch(message, query)))
          .map(({ page }) => page)
        if (pages.length > 0) found.set(id, pages)
        const attached = [...store.documents.values()].filter((one) => one.parentId === id && pages.includes(one.parentPage!))
        const ids = attached.map((one) => one.id)
        for (const each of [...ids, ...attachmentsOf(store.documents, ids).map((one) => one.id)]) found.set(each, null)
      }
      return toPageList([...found].map(([id, pages]) => (pages === null ? id : `${id} ${pages.join(',')}`)).join('\n'))
    },
    async get(id, wanted) {
      const message = messagesOf(id).find(({ page }) => page === wanted)
      return message === undefined
        ? null
        : { from: message.from, sentAt: message.sentAt === null ? null : new Date(message.sentAt) }
    },
    async answeredBy(projectId, documentId) {
      const answered = new Map<number, AnsweredMessage[]>()
      for (const { page, answers } of messagesOf(documentId)) {
        for (const source of store.documents.values()) {
          if (source.projectId !== projectId || source.status === 'failed' || source.pagesVersion !== source.version) continue
          for (const other of messagesOf(source.id)) {
            const isItself = source.id === documentId && other.page === page
            if (isItself || other.messageId === null || !answers.includes(other.messageId)) continue
            answered.set(page, [...(answered.get(page) ?? []), { documentId: source.id, page: other.page }])
          }
        }
      }
      return answered
    },
    async setQuoted(documentId, sourceIds) {
      store.quotations.set(documentId, new Set(sourceIds))
    },
  }
}

function isMatch(message: MessageHeader, { from = [], to = [], subject = [], sentAfter, sentBefore }: MessageQuery): boolean {
  const hasAll = (text: string, parts: readonly string[]) => parts.every((part) => foldName(text).includes(foldName(part)))
  const sentAt = message.sentAt === null ? null : new Date(message.sentAt)
  return (
    hasAll(message.from, from) &&
    hasAll([message.to, message.cc].join(', '), to) &&
    hasAll(message.subject ?? '', subject) &&
    (sentAfter === undefined || (sentAt !== null && sentAt >= sentAfter)) &&
    (sentBefore === undefined || (sentAt !== null && sentAt < sentBefore))
  )
}
