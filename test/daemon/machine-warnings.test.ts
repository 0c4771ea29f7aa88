import { expect, test } from 'vitest'
import { type RealDaemon, runCli, startRealDaemon } from '../support/daemon.ts'
import { isOnServers } from '../support/on-servers.ts'

const NODE_OPTIONS = `--import ${new URL('../support/network-statfs.mjs', import.meta.url).href}`
const isRoot = process.getuid?.() === 0

async function withDaemon(env: Record<string, string>, look: (daemon: RealDaemon) => Promise<void>): Promise<void> {
  const daemon = await startRealDaemon({ env })
  try {
    await look(daemon)
  } finally {
    await daemon.dispose()
  }
}

test('serve warns when it runs as root, and only then', async () => {
  await withDaemon({}, async (daemon) => {
    expect(daemon.stderr().includes('docsearch runs as root')).toBe(isRoot)
    expect(daemon.stderr()).not.toContain('network file system')
  })
})

test.skipIf(process.platform !== 'linux' || isOnServers)(
  'serve and doctor warn about a data folder on a network file system',
  async () => {
    await withDaemon({ NODE_OPTIONS }, async (daemon) => {
      expect(daemon.stderr()).toMatch(/"level":"?warn.*"file_system":"NFS".*network file system/)
      await daemon.stop()
      const examine = (env: Record<string, string>) =>
        runCli(['--json', 'doctor', '--data', daemon.dataDir], { ...daemon.env, ...env })
      const found = await examine({ NODE_OPTIONS })
      expect([found.code, JSON.parse(found.stdout)]).toMatchObject([
        3,
        {
          findings: [{ code: 'disk_remote', severity: 'warning', message: 'The data folder is on a network file system (NFS).' }],
        },
      ])
      expect((await examine({ NODE_OPTIONS: '' })).stdout).not.toContain('disk_remote')
    })
  },
)
