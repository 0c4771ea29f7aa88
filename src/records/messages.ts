import type { PageList } from '../core/page-list.ts'
import type { ProjectIds } from './projects.ts'

/** Which messages to find. A message matches every condition that is set. */
export interface MessageQuery {
  /** Parts of the sender's name or address, in any letter case. The message has each of them. */
  from?: readonly string[]
  /** Parts of the names or addresses of those who get the message, also as a copy. */
  to?: readonly string[]
  /** Parts of the subject. */
  subject?: readonly string[]
  /** Sent at this time or later. */
  sentAfter?: Date
  /** Sent before this time. */
  sentBefore?: Date
}

/** The header of one message, for the place of a result. */
export interface StoredMessage {
  from: string
  sentAt: Date | null
}

/** A message that another one answers. */
export interface AnsweredMessage {
  documentId: string
  page: number
}

/** The headers of the messages in documents of mail. */
export interface Messages {
  /**
   * Returns the messages that match at least one of the queries, and their attachments as whole documents. Reads the headers of all messages in the
   * projects, but not on the main thread. Users take turns. Throws `unavailable` and `rate_limited`.
   */
  find(
    projects: ProjectIds,
    queries: readonly MessageQuery[],
    turn: { userId: string; signal?: AbortSignal | undefined },
  ): Promise<PageList>
  /** Returns the header of the message on a page of a document; null if there is none. */
  get(documentId: string, page: number): Promise<StoredMessage | null>
  /**
   * Returns, by page, the messages of the project that the messages of a document answer, directly or along their thread, if their pages are
   * stored.
   */
  answeredBy(projectId: string, documentId: string): Promise<Map<number, AnsweredMessage[]>>
  /** Remembers the documents whose text a document repeats and does not have in the index. Replaces what was remembered. */
  setQuoted(documentId: string, sourceIds: readonly string[]): Promise<void>
}
