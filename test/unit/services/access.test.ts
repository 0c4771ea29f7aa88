import { describe, expect, test } from 'vitest'
import { SCOPES, type Scope } from '../../../src/core/model.ts'
import {
  actorOf,
  createAccess,
  isOwner,
  offlineActor,
  requireAdministrator,
  requireManager,
  requireOwner,
  requireScopesForKey,
  requireScopesForPassword,
} from '../../../src/services/access.ts'
import { errorCode } from '../../support/codes.ts'

const MEMBER = { id: 'usr_member', role: 'member' } as const
const OWNER = { id: 'usr_owner', role: 'owner' } as const
const member = (...scopes: Scope[]) => actorOf(MEMBER, scopes)
const owner = (...scopes: Scope[]) => actorOf(OWNER, scopes)

const refusal = (code: string, scope?: string) =>
  expect.objectContaining({ code, ...(scope !== undefined && { details: { scope } }) })

describe('the scope of an action', () => {
  test.each([['managing keys and applications', requireManager, 'manage:keys']] as const)(
    '%s needs its scope and returns the id of the actor',
    (_, rule, scope) => {
      expect(rule(member(scope))).toBe(MEMBER.id)
      expect(rule(owner(scope))).toBe(OWNER.id)
      const others = SCOPES.filter((one) => one !== scope)
      expect(() => rule(member(...others))).toThrow(refusal(errorCode('insufficient_scope'), scope))
      expect(() => rule(owner(...others))).toThrow(refusal(errorCode('insufficient_scope'), scope))
    },
  )
})

describe('the projects of an actor', () => {
  const access = createAccess({
    members: { visibleTo: async () => ({ projects: [], deletedIds: [] }) },
  })
  test.each([
    ['reading', access.toRead, 'read:documents'],
    ['listening', access.toHear, 'read:documents'],
    ['writing', access.toWrite, 'write:documents'],
  ] as const)('%s needs its scope', async (_, projects, scope) => {
    await expect(projects(member(scope))).resolves.toBeDefined()
    const others = SCOPES.filter((one) => one !== scope)
    for (const actor of [member(...others), owner(...others)])
      await expect(projects(actor)).rejects.toEqual(refusal(errorCode('insufficient_scope'), scope))
  })
})

describe('the instance', () => {
  test('only its owner administers it, with manage:keys', () => {
    expect(() => requireAdministrator(owner('manage:keys'))).not.toThrow()
    expect(() => requireAdministrator(member(...SCOPES))).toThrow(refusal(errorCode('owner_only')))
    expect(() => requireAdministrator(owner('read:documents', 'write:documents'))).toThrow(
      refusal(errorCode('insufficient_scope'), 'manage:keys'),
    )
    expect(() => requireOwner(member(...SCOPES))).toThrow(refusal(errorCode('owner_only')))
    expect([isOwner(owner()), isOwner(member(...SCOPES))]).toEqual([true, false])
  })

  test('the offline command line may do all that the owner may, also before there is an owner', () => {
    expect(() => requireAdministrator(offlineActor(null))).not.toThrow()
    expect(requireManager(offlineActor(OWNER))).toBe(OWNER.id)
  })
})

describe('a credential cannot make another one that may do more', () => {
  test('a key cannot have a scope that the actor lacks', () => {
    expect(() => requireScopesForKey(member('manage:keys', 'read:documents'), ['read:documents'], null)).not.toThrow()
    expect(() => requireScopesForKey(member('manage:keys'), ['manage:keys', 'read:documents'], null)).toThrow(
      refusal(errorCode('insufficient_scope'), 'read:documents'),
    )
  })

  test('only an actor with every scope sets a password for their own user', () => {
    expect(() => requireScopesForPassword(owner(...SCOPES), OWNER)).not.toThrow()
    expect(() => requireScopesForPassword(owner('manage:keys'), OWNER)).toThrow(
      refusal(errorCode('insufficient_scope'), 'read:documents write:documents'),
    )
    expect(() => requireScopesForPassword(member('manage:keys'), MEMBER)).toThrow(refusal(errorCode('insufficient_scope')))
  })

  test('the owner invites and resets other users with manage:keys alone', () => {
    expect(() => requireScopesForPassword(owner('manage:keys'), MEMBER)).not.toThrow()
  })
})

test('a browser login has every scope', () => {
  expect(actorOf(MEMBER)).toEqual({ userId: MEMBER.id, role: 'member', scopes: new Set(SCOPES), projectIds: null })
})
