import { startAnnouncing, revealScripted } from './dom.ts'
import { startCopying } from './copy.ts'
import { startDropping, showSum, startUpload } from './upload.ts'
import { startLive } from './live.ts'
import { startRecent, startSearching } from './search.ts'
import { startShortcuts } from './shortcuts.ts'

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
