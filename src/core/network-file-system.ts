/** The types that statfs(2) returns on Linux. Other systems return small numbers with other meanings. */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0xff534d42, 'SMB'],
])

/** Returns the name of a network file system, given the type that `statfs` returns; null for other file systems. */
export function networkFileSystem(type: number): string | null {
  return (process.platform === 'linux' && NETWORK_FILE_SYSTEMS.get(type)) || null
}
