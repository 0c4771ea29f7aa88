import { paths } from '../../../pages/paths.ts'
import type { View } from '../routing/page.ts'

/** Shows a new secret once to the user who created it. The same address then leads to the list of such secrets. */
export const oncePages: View[] = [
  {
    method: 'GET',
    path: paths.shownOnce(':id'),
    hasScript: true,
    async handle({ ctx, takeOnce, show, goTo }) {
      const view = await takeOnce()
      if (view === null || view.html === null) return goTo(view?.next ?? paths.settings, 'shown_already')
      ctx.state.hasSecret = true
      show(view.html)
    },
  },
]
