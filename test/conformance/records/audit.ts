import { describe, expect } from 'vitest'
import { AUDIT_REPEAT_MS, MAX_AUDIT_ADDRESSES, type AuditEvent } from '../../../src/core/audit.ts'
import { callAs, type Caller } from '../../../src/core/caller.ts'
import { AUDIT_SCAN, type AuditQuery, type AuditSight } from '../../../src/records/audit.ts'
import type { Records } from '../../../src/records/records.ts'
import { errorCode } from '../../support/codes.ts'
import type { OAuthTest } from './account-fixtures.ts'
import type { DocumentsTest } from './fixtures.ts'

const KEY = { kind: 'key', id: 'key_1', name: 'laptop', lastFour: 'wxyz' } as const
const callerFor = (userId: string | null, address = '192.0.2.1'): Caller => ({ userId, address, credential: KEY })
const NOBODY: AuditSight = { userId: 'usr_nobody', projects: new Set(), limit: null, accounts: 'none' }
const ACCOUNTS: AuditSight = { ...NOBODY, accounts: 'all' }

/** Returns what a reader finds, newest first. */
async function read(records: Records, sight: Partial<AuditSight>, query: AuditQuery = {}): Promise<AuditEvent[]> {
  const { events, nextId } = await records.audit.list({ ...NOBODY, ...sight }, query)
  return nextId === null ? events : [...events, ...(await read(records, sight, { ...query, beforeId: nextId }))]
}

const actions = (events: readonly AuditEvent[]) => events.map(({ action }) => action).toReversed()

export function auditConformance(test: DocumentsTest): void {
  describe('the audit log', () => {
    test('names the caller, and gives everything the name that it had at the time', async ({
      records,
      alice,
      project,
      upload,
    }) => {
      const { document } = await callAs(callerFor(alice), () =>
        records.documents.register(upload({ path: 'f/a.txt' }), 'replace'),
      )
      await records.users.update(alice, { name: 'Alicia' })
      await records.projects.update(project, { name: 'renamed' })
      const [event] = await read(records, { projects: new Set([project]) }, { action: 'document.upload' })
      expect(event).toMatchObject({
        actor: { id: alice, name: 'Alice', email: 'alice@example.com' },
        user: null,
        project: { id: project, name: 'default' },
        document: { id: document.id, name: 'a.txt' },
        address: '192.0.2.1',
        credential: KEY,
        details: { path: 'f/a.txt', size_bytes: 10 },
      })
      const [update] = await read(records, { projects: new Set([project]) }, { action: 'project.update' })
      expect(update).toMatchObject({ actor: null, credential: null, project: { name: 'default' }, details: { name: 'renamed' } })
    })

    test('has an event for each change of a project, and none for a request that changes nothing', async ({
      records,
      alice,
      bob,
      project,
      upload,
      add,
    }) => {
      const { id } = await add()
      await add()
      await add({ sha256: 'b'.repeat(64), name: 'b.txt' })
      const projects = new Set([project])
      await records.documents.edit(projects, id, { tags: ['z'] }, null)
      await records.documents.edit(projects, id, { tags: ['z'] }, null)
      await records.documents.requeue(projects, id)
      await records.members.set(project, bob, 'reader')
      await records.members.set(project, bob, 'reader')
      await records.members.set(project, bob, 'writer')
      await records.members.set(project, null, 'reader')
      await records.members.remove(project, bob)
      await records.members.remove(project, bob)
      await records.projects.update(project, { description: 'about' })
      await records.projects.update(project, { description: 'about' })
      const rules = [{ words: ['a', 'b'], expandsTo: null }]
      await records.synonyms.add({ projectId: project, rules, maxSynonyms: 9 })
      await records.synonyms.replace({ projectId: project, rules, maxSynonyms: 9 })
      await records.documents.delete(projects, id)
      await records.documents.delete(projects, id)
      await expect(records.members.remove(project, alice)).rejects.toMatchObject({ code: errorCode('last_manager') })
      await expect(records.documents.register(upload({ projectId: 'prj_none' }), 'replace')).rejects.toThrow()
      const events = await read(records, { projects })
      expect(actions(events)).toEqual([
        'project.create',
        'document.upload',
        'document.replace',
        'document.update',
        'document.reprocess',
        'member.add',
        'member.change',
        'member.add',
        'member.remove',
        'project.update',
        'synonyms.change',
        'document.delete',
      ])
      expect(events.find(({ action }) => action === 'document.replace')).toMatchObject({
        document: { name: 'a.txt' },
        details: { name: 'b.txt' },
      })
      expect(events.find(({ action }) => action === 'member.change')).toMatchObject({
        user: { id: bob },
        details: { role: 'writer', former_role: 'reader' },
      })
    })

    test('has an event in both projects when a document moves', async ({ records, bob, project, add }) => {
      const other = (await records.projects.create({ ownerId: bob, name: 'other', description: '' })).id
      const { id } = await add()
      await records.documents.edit(new Set([project]), id, { projectId: other }, null)
      const [away] = await read(records, { projects: new Set([project]) })
      const [here] = await read(records, { projects: new Set([other]) })
      expect([away, here]).toMatchObject([
        { action: 'document.update', document: { id }, details: { moved: 'away' } },
        { action: 'document.update', document: { id }, details: { moved: 'here' } },
      ])
      expect(JSON.stringify(away)).not.toContain(other)
      expect(JSON.stringify(here)).not.toContain(project)
    })

    test('tells the former project nothing about the new name of a document that moves', async ({
      records,
      bob,
      project,
      add,
    }) => {
      const other = (await records.projects.create({ ownerId: bob, name: 'other', description: '' })).id
      const { id } = await add()
      const change = { projectId: other, name: 'falcon.txt', path: 'falcon/falcon.txt', title: 'Falcon', tags: ['falcon'] }
      await records.documents.edit(new Set([project]), id, change, null)
      const [away] = await read(records, { projects: new Set([project]) })
      const [here] = await read(records, { projects: new Set([other]) })
      expect(away).toMatchObject({ document: { name: 'a.txt' }, details: { moved: 'away' } })
      expect(JSON.stringify(away)).not.toContain('falcon')
      expect(here).toMatchObject({ document: { name: 'falcon.txt' }, details: { moved: 'here', path: 'falcon/falcon.txt' } })
    })

    test('has an event when the owner of the instance takes over a project', async ({ records, alice, bob }) => {
      const { id } = await records.projects.create({ ownerId: bob, name: 'shared', description: '' })
      await records.members.set(id, null, 'reader')
      await records.users.delete(bob)
      await callAs(callerFor(alice), () => records.members.takeOver(id, alice))
      await callAs(callerFor(alice), () => records.members.takeOver(id, alice))
      expect(await read(records, { userId: alice })).toMatchObject([
        { action: 'project.take_over', user: { id: alice }, project: { name: 'shared' } },
      ])
      expect(actions(await read(records, { projects: new Set([id]) }))).toEqual([
        'project.create',
        'member.add',
        'member.remove',
        'project.take_over',
      ])
    })

    test('shows events of a project only to users who may see it, and shows users what they did', async ({
      records,
      alice,
      bob,
      project,
      add,
    }) => {
      const shared = new Set([project])
      await records.members.set(project, bob, 'writer')
      await callAs(callerFor(bob), () => add({ uploaderId: bob, path: 'bob' }))
      await add()
      const others = (await records.projects.create({ ownerId: bob, name: 'bob', description: '' })).id
      expect(actions(await read(records, { userId: bob }))).toEqual(['document.upload'])
      expect(actions(await read(records, { userId: bob, limit: shared }))).toEqual(['document.upload'])
      expect(await read(records, { userId: bob, limit: new Set([others]) })).toEqual([])
      expect(await read(records, { userId: bob }, { projectId: others })).toEqual([])
      expect(await read(records, { userId: alice })).toEqual([])
      expect(await read(records, { userId: alice, projects: shared, limit: new Set() })).toEqual([])
      expect(await read(records, { userId: alice, projects: shared })).toHaveLength(4)
      expect(await read(records, { userId: alice, projects: shared }, { projectId: others })).toEqual([])
      const [mine] = await read(records, { userId: bob })
      const documentId = mine!.document!.id
      expect(await read(records, { userId: bob }, { documentId })).toHaveLength(1)
      expect(await read(records, { userId: bob, limit: new Set() }, { documentId })).toEqual([])
      expect(await read(records, { userId: 'usr_other' }, { documentId })).toEqual([])
      expect(await read(records, { projects: shared }, { documentId })).toHaveLength(1)
    })

    test('keeps account events apart from projects', async ({ records, alice, bob, project, add }) => {
      await add()
      await callAs(callerFor(alice), () => records.users.setDisabled(bob, true))
      const create = ['user.create', 'user.create']
      expect(actions(await read(records, ACCOUNTS))).toEqual([...create, 'user.disable'])
      expect(actions(await read(records, { userId: bob, accounts: 'own' }))).toEqual(['user.create', 'user.disable'])
      expect(actions(await read(records, { userId: alice, accounts: 'own' }))).toEqual(['user.create', 'user.disable'])
      expect(await read(records, { userId: bob })).toEqual([])
      expect(await read(records, ACCOUNTS, { projectId: project })).toEqual([])
      expect(await read(records, { ...ACCOUNTS, userId: alice, limit: new Set([project]) })).toEqual([])
    })

    test('finds events by action, user and time', async ({ records, clock, alice, bob, project, add }) => {
      const everything = { ...ACCOUNTS, projects: new Set([project]) }
      clock.advance(1000)
      const between = clock.now()
      await callAs(callerFor(alice), () => add())
      clock.advance(120_000)
      await callAs(callerFor(bob), () => add({ path: 'b' }))
      const found = async (query: AuditQuery) => actions(await read(records, everything, query))
      expect(await found({ action: 'user.create' })).toEqual(['user.create', 'user.create'])
      expect(await found({ actor: alice })).toEqual(['document.upload'])
      expect(await found({ actor: 'ALICE@example.com' })).toEqual(['document.upload'])
      expect(await found({ actor: 'nobody@example.com' })).toEqual([])
      expect(await found({ after: between })).toEqual(['document.upload', 'document.upload'])
      expect(await found({ after: between, before: new Date(between.getTime() + 1) })).toEqual(['document.upload'])
      expect((await found({ before: between })).toSorted()).toEqual(['project.create', 'user.create', 'user.create'])
    })

    test('reads a bounded number of events at a time, and only those that the reader may see', async ({
      records,
      project,
      add,
    }) => {
      const { id } = await add()
      for (let i = 0; i < AUDIT_SCAN; i++) await records.documents.requeue(new Set([project]), id)
      const sight = { ...NOBODY, projects: new Set([project]) }
      const first = await records.audit.list(sight, { action: 'project.create' })
      expect(first).toMatchObject({ events: [], nextId: expect.any(Number) as number })
      const rest = await records.audit.list(sight, { action: 'project.create', beforeId: first.nextId! })
      expect(rest).toMatchObject({ events: [{ action: 'project.create' }], nextId: null })
      expect(await records.audit.list(NOBODY, {})).toEqual({ events: [], nextId: null })
      expect(await records.audit.list(ACCOUNTS, { documentId: id })).toEqual({ events: [], nextId: null })
    })

    test('counts repeated failures in one event, even from many addresses', async ({ records, clock, alice, bob }) => {
      const fail = (address: string, userId?: string) =>
        callAs(callerFor(null, address), () =>
          records.audit.record({ action: 'user.login_failed', isRepeated: true, ...(userId !== undefined && { userId }) }),
        )
      for (let i = 0; i < 3; i++) await fail('192.0.2.1', alice)
      await fail('192.0.2.1', bob)
      await fail('192.0.2.1')
      await fail('192.0.2.1')
      const failures = () => read(records, ACCOUNTS, { action: 'user.login_failed' })
      expect((await failures()).map(({ user, details }) => [user?.id, details['times']])).toEqual([
        [undefined, 2],
        [bob, undefined],
        [alice, 3],
      ])
      for (let i = 0; i < 50; i++) await fail(`198.51.100.${i}`, alice)
      const ofAlice = (await failures()).filter(({ user }) => user?.id === alice)
      expect(ofAlice).toHaveLength(MAX_AUDIT_ADDRESSES + 1)
      expect(ofAlice[0]).toMatchObject({ address: null, details: { times: 50 - (MAX_AUDIT_ADDRESSES - 1) } })
      clock.advance(AUDIT_REPEAT_MS + 60_000)
      await fail('192.0.2.1', alice)
      expect((await failures())[0]).toMatchObject({ user: { id: alice }, address: '192.0.2.1', details: {} })
    })

    test('remembers who managed a deleted project, until its events are gone', async ({
      records,
      clock,
      alice,
      bob,
      project,
      add,
    }) => {
      await add()
      await records.members.set(project, bob, 'writer')
      await records.projects.delete(project)
      expect(await records.audit.formerProjects(alice)).toEqual(new Set([project]))
      expect(await records.audit.formerProjects(bob)).toEqual(new Set())
      const [deletion] = await read(records, { projects: new Set([project]) })
      expect(deletion).toMatchObject({ action: 'project.delete', project: { name: 'default' }, details: { documents: 1 } })
      clock.advance(1000)
      expect(await records.audit.sweep(clock.now(), 3)).toBe(3)
      expect(await records.audit.formerProjects(alice)).toEqual(new Set([project]))
      expect(await records.audit.sweep(clock.now(), 100)).toBe(3)
      expect(await records.audit.formerProjects(alice)).toEqual(new Set())
      expect(await records.audit.sweep(clock.now(), 100)).toBe(0)
    })

    test('keeps events that are newer than the given time', async ({ records, clock, add }) => {
      clock.advance(1000)
      const now = clock.now()
      const { projectId } = await add()
      await records.audit.sweep(now, 100)
      expect(actions(await read(records, { ...ACCOUNTS, projects: new Set([projectId]) }))).toEqual(['document.upload'])
    })

    test('names the settings that changed since the last start', async ({ records }) => {
      await records.audit.recordSettings({ port: 'a', host: 'b' })
      await records.audit.recordSettings({ port: 'a', host: 'b' })
      await records.audit.recordSettings({ port: 'c', rate_limit: 'd' })
      expect(await read(records, ACCOUNTS, { action: 'settings.change' })).toMatchObject([
        { actor: null, details: { changed: ['host', 'port', 'rate_limit'] } },
      ])
    })

    test('always seals IDs with the same key', async ({ records }) => {
      expect(await records.audit.key()).toMatch(/^[0-9a-f]{64}$/)
      expect(await records.audit.key()).toBe(await records.audit.key())
    })
  })
}

export function accountAuditConformance(test: OAuthTest): void {
  describe('the audit log of accounts', () => {
    test('has an event for each change of an account', async ({ records, ann, ben, session, key, link }) => {
      const { id } = await session(ben, 's1')
      await session(ben, 's2')
      await session(ben, 's3')
      await records.sessions.delete(ben, id)
      await records.sessions.delete(ben, id)
      await records.sessions.deleteOthers(ben, null)
      await records.sessions.deleteOthers(ben, null)
      const { id: keyId } = await key(ben, 'k')
      await records.keys.delete(ann, keyId)
      await records.keys.delete(ben, keyId)
      await link(ben, 'l')
      await records.links.claim('l', { passwordHash: 'h' })
      await records.links.claim('l', { passwordHash: 'h' })
      await records.users.setPasswordHash(ben, 'other')
      await records.users.setPasswordHash(ben, 'rehashed', 'other')
      await records.users.update(ben, { name: 'Benny' })
      await records.users.update(ben, { name: 'Benny' })
      await records.users.setDisabled(ben, true)
      await records.users.setDisabled(ben, true)
      await records.users.setDisabled(ben, false)
      await records.users.delete(ben)
      const events = await read(records, { userId: ben, accounts: 'own' })
      expect(actions(events)).toEqual([
        'user.create',
        'user.login',
        'user.login',
        'user.login',
        'user.logout',
        'user.logout',
        'key.create',
        'key.revoke',
        'user.invite',
        'user.password',
        'user.password',
        'user.update',
        'user.disable',
        'user.enable',
        'user.delete',
      ])
      expect(events.find(({ action }) => action === 'user.login')).toMatchObject({ actor: { id: ben } })
      expect(events.find(({ action }) => action === 'key.revoke')).toMatchObject({
        details: { key: keyId, name: 'k', last_four: 'abcd' },
      })
      expect(events.find(({ action }) => action === 'user.update')).toMatchObject({
        user: { name: 'Ben' },
        details: { changed: ['name'], name: 'Benny' },
      })
    })

    test('has an event for each change of an application and each consent', async ({
      records,
      ann,
      ben,
      newApplication,
      newGrant,
      newDevice,
      inFuture,
    }) => {
      const { id } = await newApplication()
      await records.oauth.applications.update(ann, id, { name: 'Other' })
      await records.oauth.applications.rotate(ann, id, { sha256: 'second', lastFour: 'efgh' }, inFuture(1000))
      await newGrant('a')
      const grant = await newGrant('b')
      await records.oauth.grants.revoke(grant.id)
      await records.oauth.grants.revoke(grant.id)
      await records.oauth.grants.revokeAll(ben, 'app')
      await records.oauth.grants.revokeAll(ben, 'app')
      await newDevice('x')
      await records.oauth.devices.decide('user x', { userId: ben, approve: true, projectIds: null })
      await newDevice('y')
      await records.oauth.devices.decide('user y', { userId: ben, approve: false, projectIds: null })
      await records.oauth.applications.delete(ann, id)
      const events = (await read(records, ACCOUNTS)).filter(({ action }) => !action.startsWith('user.'))
      expect(actions(events)).toEqual([
        'application.create',
        'application.update',
        'application.rotate',
        'consent.give',
        'consent.give',
        'consent.withdraw',
        'consent.withdraw',
        'consent.give',
        'application.delete',
      ])
      expect(events[0]).toMatchObject({ user: { id: ann }, details: { application: id, name: 'Other' } })
      expect(JSON.stringify(events)).not.toContain('second')
    })
  })
}
