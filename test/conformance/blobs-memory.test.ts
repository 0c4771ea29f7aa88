import { describe } from 'vitest'
import { openMemoryBlobs } from '../support/memory-blobs.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { blobsConformance } from './blobs.ts'

describe('blobs in memory', () => {
  blobsConformance(async (clock) => openMemoryBlobs({ folder: await tempFolder(), clock }))
})
