import { DocsearchError } from '../core/errors.ts'
import type { ProjectRole } from '../core/model.ts'

export function userExists(email: string | null | undefined, cause?: unknown): DocsearchError {
  return new DocsearchError('user_exists', `A user with the address ${email} already exists. Choose another address.`, { cause })
}

export function ownerExists(): DocsearchError {
  return new DocsearchError('owner_exists', 'This instance already has an owner, and it can have only one.')
}

export function ownerStays(): DocsearchError {
  return new DocsearchError('owner_stays', 'The owner of this instance cannot be disabled or deleted.')
}

export function tooManyKeys(limit: number): DocsearchError {
  const message = `You have reached the limit of ${limit} API keys (limits.api_keys). Delete a key that you no longer use.`
  return new DocsearchError('too_many_keys', message, { details: { limit } })
}

export function tooManySynonyms(limit: number): DocsearchError {
  const message =
    `All projects of the project's owner together may have ${limit} words and phrases in their synonyms (limits.synonyms), and this ` +
    'request would exceed the limit. Nothing was changed. Leave some out, or remove synonyms that you no longer need.'
  return new DocsearchError('too_many_synonyms', message, { details: { limit } })
}

export function projectExists(name: string): DocsearchError {
  return new DocsearchError('project_exists', `A project named ${JSON.stringify(name)} already exists. Choose another name.`)
}

export function projectNotFound(): DocsearchError {
  return new DocsearchError('project_not_found', 'The project no longer exists. Create it again, then upload again.')
}

export function pathTaken(path: string, cause?: unknown): DocsearchError {
  return new DocsearchError(
    'path_taken',
    `Another document of the project has the path ${JSON.stringify(path)}. Choose another path.`,
    {
      cause,
    },
  )
}

export function documentExists(path: string, documentId: string): DocsearchError {
  return new DocsearchError(
    'document_exists',
    `${JSON.stringify(path)} already exists with different content. Replace it, keep both, or choose another path.`,
    { details: { document_id: documentId } },
  )
}

export function insufficientRole(role: ProjectRole): DocsearchError {
  return new DocsearchError(
    'insufficient_role',
    `This needs the role ${role} in the project, which you do not have. Ask a manager of the project for it.`,
    { details: { role } },
  )
}

export function lastManager(): DocsearchError {
  return new DocsearchError(
    'last_manager',
    'This is the last manager of the project, and a project needs one. Make another member a manager first, or delete the project.',
  )
}

export function tooManyMembers(limit: number): DocsearchError {
  return new DocsearchError(
    'too_many_members',
    `A project can have ${limit} members. Remove a member first, or add \`everyone\`.`,
    {
      details: { limit },
    },
  )
}

export function backupRunning(): DocsearchError {
  return new DocsearchError(
    'backup_running',
    'Another backup is running, and only one can run at a time. Try again when it has ended.',
    {
      retryAfter: 30,
    },
  )
}

export function savedSearchExists(id: string): DocsearchError {
  return new DocsearchError('saved_search_exists', 'You have saved this search already.', { details: { id } })
}

export function tooManySavedSearches(limit: number): DocsearchError {
  return new DocsearchError('too_many_saved_searches', `You have ${limit} saved searches, the limit. Delete one first.`, {
    details: { limit },
  })
}

export function tooManyWebhooks(limit: number): DocsearchError {
  const message = `The project has reached the limit of ${limit} webhooks (limits.webhooks). Delete a webhook that it no longer needs.`
  return new DocsearchError('too_many_webhooks', message, { details: { limit } })
}

export function webhookDisabled(): DocsearchError {
  return new DocsearchError('webhook_disabled', 'The webhook is off, so docsearch sent nothing. Turn it on and try again.')
}
