import { DocsearchError } from '../core/errors.ts'
import type { Quotas, Usage } from '../core/model.ts'

// Rules that every implementation of Records follows.

export const NO_QUOTAS: Quotas = { documents: null, bytes: null, passages: null }
export const NO_USAGE: Usage = { documents: 0, bytes: 0, passages: 0 }

/** A user's usage and quotas. */
export interface Allowance {
  used: Usage
  quotas: Quotas
}

/** Returns the quotas of a user. The user's own quota overrides the instance's quota, and 0 means no quota. */
export function effectiveQuotas(own: Quotas, ofInstance: Quotas): Quotas {
  const effective = (kind: keyof Quotas) => (own[kind] === null ? ofInstance[kind] : own[kind] || null)
  return { documents: effective('documents'), bytes: effective('bytes'), passages: effective('passages') }
}

/**
 * Throws `quota_exceeded` if a new document doesn't fit. Its number of passages is not known yet, so it must leave room for one.
 */
export function checkNewDocument(allowance: Allowance, bytes: number): void {
  const { used, quotas } = allowance
  if (quotas.documents !== null && used.documents >= quotas.documents)
    throw exceeded(
      'documents',
      quotas.documents,
      used,
      `Your quota is ${amount(quotas.documents, 'document')}, and you have ${used.documents}.`,
    )
  checkBytes(allowance, bytes)
  checkPassagesLeft(allowance)
}

/** Returns whether documents may grow by this many bytes. */
export function hasRoomFor({ used, quotas }: Allowance, added: number): boolean {
  return quotas.bytes === null || added <= 0 || used.bytes + added <= quotas.bytes
}

/** Throws `quota_exceeded` when documents grow by more bytes than the quota allows. A document may always become smaller. */
export function checkBytes(allowance: Allowance, added: number): void {
  const { used, quotas } = allowance
  if (quotas.bytes === null || hasRoomFor(allowance, added)) return
  const has = `Your documents use ${number(used.bytes)}, and this file would add ${number(added)}.`
  throw exceeded('bytes', quotas.bytes, used, `Your quota is ${amount(quotas.bytes, 'byte')}. ${has}`)
}

/** Throws `quota_exceeded` when not even one more passage fits. */
export function checkPassagesLeft({ used, quotas }: Allowance): void {
  if (quotas.passages === null || used.passages < quotas.passages) return
  const has = `and your documents have ${number(used.passages)}`
  throw exceeded('passages', quotas.passages, used, `Your quota is ${amount(quotas.passages, 'passage')}, ${has}.`)
}

/**
 * Returns `quota_exceeded` if a document may not grow from `before` to `after` passages. A document may always keep its number of
 * passages, so that a lower quota or a new index makes no document fail.
 */
export function passagesRefusal({ used, quotas }: Allowance, before: number, after: number): DocsearchError | null {
  const others = used.passages - before
  if (quotas.passages === null || after <= before || others + after <= quotas.passages) return null
  // Every member of the project sees this message, so it says nothing about the owner's other projects.
  const has = `This document has ${amount(after, 'passage')}, which is too many together with the other documents.`
  return exceeded('passages', quotas.passages, used, `Your quota is ${amount(quotas.passages, 'passage')}. ${has}`)
}

/** Returns the error for an actor who may not know how much the owner of the project has: without the numbers. */
export function ownersQuotaExceeded(cause: DocsearchError): DocsearchError {
  return new DocsearchError(
    'quota_exceeded',
    'The owner of this project has reached a quota, so the project cannot take this document. Ask the owner of the project to delete documents or to get a larger quota.',
    { cause, details: { quota: cause.details['quota'] } },
  )
}

function exceeded(quota: keyof Quotas, limit: number, used: Usage, message: string): DocsearchError {
  return new DocsearchError(
    'quota_exceeded',
    `${message} Delete documents that you no longer need, or ask the owner of the instance for a larger quota.`,
    { details: { quota, limit, used: used[quota] } },
  )
}

function amount(value: number, noun: string): string {
  return `${number(value)} ${value === 1 ? noun : `${noun}s`}`
}

function number(value: number): string {
  return value.toLocaleString('en')
}
