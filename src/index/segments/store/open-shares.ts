import type { SharedPlace, Shares } from './shares.ts'

/** Loads the client of the object store, which an instance on one machine does not need. */
export async function openShares(place: SharedPlace, folder: string): Promise<Shares> {
  const { RemoteSegments } = await import('../remote/remote-segments.ts')
  return RemoteSegments.open(place, folder)
}

/** Deletes everything that processes share of an index. */
export async function dropShares(place: SharedPlace, indexId: string): Promise<void> {
  const { dropRemoteSegments } = await import('../remote/remote-segments.ts')
  await dropRemoteSegments(place, indexId)
}
