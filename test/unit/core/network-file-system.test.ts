import { expect, test } from 'vitest'
import { networkFileSystem } from '../../../src/core/network-file-system.ts'

// statfs(2) of Linux. 9p and FUSE are often local: WSL, virtual machines, gocryptfs.
test.skipIf(process.platform !== 'linux').each([
  ['NFS', 0x6969, 'NFS'],
  ['SMB', 0x517b, 'SMB'],
  ['SMB2', 0xfe534d42, 'SMB'],
  ['CIFS', 0xff534d42, 'SMB'],
  ['ext4', 0xef53, null],
  ['tmpfs', 0x01021994, null],
  ['overlayfs', 0x794c7630, null],
  ['9p', 0x01021997, null],
  ['FUSE', 0x65735546, null],
])('%s', (_name, type, expected) => {
  expect(networkFileSystem(type)).toBe(expected)
})
