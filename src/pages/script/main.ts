import { startAnnouncing } from './announce.ts'
import { startCopying } from './copy.ts'
import { revealScripted } from './dom.ts'
import { startDropping } from './drop.ts'
import { startLive } from './live.ts'
import { startRecent } from './recent.ts'
import { startSearching } from './search.ts'
import { startShortcuts } from './shortcuts.ts'
import { showSum, startUpload } from './upload.ts'

/** The script of all views that have one. Every view works without it. */
startAnnouncing()
startCopying()
startShortcuts()
startSearching()
startRecent()
startUpload()
startDropping()
startLive({ onUpdate: showSum })
revealScripted()
