import { limitFact } from '../../../src/core/audit.ts'
import { SLOW_DOWN_SECONDS } from '../../../src/records/oauth-devices.ts'
import type { DeviceRecord, OAuthDevices } from '../../../src/records/oauth-devices.ts'
import { makeGrant } from './oauth-changes.ts'
import type { MemoryStore, StoredDevice } from './store.ts'

export function memoryDevices(store: MemoryStore): OAuthDevices {
  const { devices } = store

  function findPending(userSha256: string): StoredDevice | undefined {
    const device = [...devices.values()].find((one) => one.userSha256 === userSha256)
    return device?.status === 'pending' && !store.isPast(device.expiresAt) ? device : undefined
  }

  return {
    async create({ deviceSha256, scopes, ...device }) {
      devices.set(deviceSha256, {
        ...device,
        scopes: [...scopes],
        projectIds: null,
        status: 'pending',
        userId: null,
        lastPolledAt: null,
      })
    },
    findByUserCode: async (userSha256) => presentOrNull(findPending(userSha256)),
    async decide(userSha256, { userId, approve, projectIds }) {
      const device = findPending(userSha256)
      if (device === undefined) return false
      Object.assign(device, { status: approve ? 'approved' : 'denied', userId, projectIds })
      const { clientId: application, scopes } = device
      if (approve) store.record({ action: 'consent.give', userId, details: { application, scopes, ...limitFact(projectIds) } })
      return true
    },
    find: async (deviceSha256) => presentOrNull(devices.get(deviceSha256)),
    async poll(deviceSha256) {
      const device = devices.get(deviceSha256)
      if (device === undefined) return false
      const { lastPolledAt, intervalSeconds } = device
      const isTooSoon = lastPolledAt !== null && lastPolledAt.getTime() + intervalSeconds * 1000 > store.now().getTime()
      if (isTooSoon) device.intervalSeconds += SLOW_DOWN_SECONDS
      device.lastPolledAt = store.now()
      return isTooSoon
    },
    async redeem(deviceSha256, tokens) {
      const device = devices.get(deviceSha256)
      if (device?.status !== 'approved' || store.isPast(device.expiresAt)) return null
      const { userId } = device
      if (userId === null || !store.isActiveUser(userId)) return null
      device.status = 'redeemed'
      return makeGrant(store, { ...device, userId }, tokens)
    },
  }
}

function presentOrNull(device: StoredDevice | undefined): DeviceRecord | null {
  if (device === undefined) return null
  const { userSha256: _userSha256, ...record } = device
  return structuredClone(record)
}
