import { expect } from 'vitest'
import { accountsTest, oauthTest } from './account-fixtures.ts'
import { attachmentsConformance } from './attachments.ts'
import { accountAuditConformance, auditConformance } from './audit.ts'
import { backupsConformance } from './backups.ts'
import { countsConformance } from './counts.ts'
import { credentialsVersionConformance } from './credentials-version.ts'
import { documentsConformance } from './documents.ts'
import { endedUsersConformance } from './ended-users.ts'
import { eventsConformance } from './events.ts'
import { documentsTest, emptyRecordsTest } from './fixtures.ts'
import type { EmptyRecordsTest, OpenRecords } from './fixtures.ts'
import { indexesConformance } from './indexes.ts'
import { keysConformance } from './keys.ts'
import { linksConformance } from './links.ts'
import { oauthApplicationsConformance } from './oauth-applications.ts'
import { oauthCodesConformance } from './oauth-codes.ts'
import { oauthDevicesConformance } from './oauth-devices.ts'
import { oauthGrantsConformance } from './oauth-grants.ts'
import { oauthRegistrationsConformance } from './oauth-registrations.ts'
import { oauthSweepConformance } from './oauth-sweep.ts'
import { originalsConformance } from './originals.ts'
import { membersConformance } from './members.ts'
import { projectsConformance } from './projects.ts'
import { queueConformance } from './queue.ts'
import { quotasConformance } from './quotas.ts'
import { savedSearchesConformance } from './saved-searches.ts'
import { sessionsConformance } from './sessions.ts'
import { synonymsConformance } from './synonyms.ts'
import { trashConformance } from './trash.ts'
import { turnsConformance } from './turns.ts'
import { uploadsConformance } from './uploads.ts'
import { usersConformance } from './users.ts'
import { validCredentialsConformance } from './valid-credentials.ts'
import { vocabularyConformance } from './vocabulary.ts'
import { webhooksConformance } from './webhooks.ts'

/** Tests that every implementation of Records passes. */
export function recordsConformance(open: OpenRecords): void {
  const test = emptyRecordsTest(open)
  countsConformance(test)
  indexesConformance(test)
  vocabularyConformance(test)

  const withDocuments = documentsTest(test)
  projectsConformance(withDocuments)
  membersConformance(withDocuments)
  uploadsConformance(withDocuments)
  documentsConformance(withDocuments)
  trashConformance(withDocuments)
  attachmentsConformance(withDocuments)
  originalsConformance(withDocuments)
  queueConformance(withDocuments)
  quotasConformance(withDocuments)
  turnsConformance(withDocuments)
  eventsConformance(withDocuments)
  auditConformance(withDocuments)
  synonymsConformance(withDocuments)
  webhooksConformance(withDocuments)

  accountsConformance(test)

  test('reports that the records work', async ({ records }) => {
    expect(await records.check()).toMatchObject({ ok: true })
  })
}

/** The part of the suite about users, credentials and applications. */
export function accountsConformance(test: EmptyRecordsTest): void {
  validCredentialsConformance(test)

  const withAccounts = accountsTest(test)
  usersConformance(withAccounts)
  endedUsersConformance(withAccounts)
  linksConformance(withAccounts)
  sessionsConformance(withAccounts)
  keysConformance(withAccounts)
  savedSearchesConformance(withAccounts)
  backupsConformance(withAccounts)

  const withOAuth = oauthTest(withAccounts)
  credentialsVersionConformance(withOAuth)
  oauthApplicationsConformance(withOAuth)
  oauthCodesConformance(withOAuth)
  oauthGrantsConformance(withOAuth)
  oauthDevicesConformance(withOAuth)
  oauthRegistrationsConformance(withOAuth)
  oauthSweepConformance(withOAuth)
  accountAuditConformance(withOAuth)
}
