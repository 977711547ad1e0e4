/** One feed of a project for all its consoles, whenever they come and go. */
import t from 'tap'
import { ProjectWatchers } from '../../http/console/live/project_watchers.ts'
import type { LiveFeed, LiveFeeds } from '../../runtime/mod.ts'

/** Opens a project once at a time, and only when it is told to. */
function slowFeeds() {
  const opening: { answer(): void; fail(): void }[] = []
  let open = 0
  const feeds: LiveFeeds = {
    open() {
      if (open > 0) return Promise.reject(new Error('listened to already'))
      open++
      const { promise, resolve, reject } = Promise.withResolvers<LiveFeed>()
      const feed: LiveFeed = {
        resume: async (_, begin) => begin({ position: 'here', batches: undefined }),
        close: () => void open--,
      }
      const fail = () => {
        open--
        reject(new Error('the broker is away'))
      }
      opening.push({ answer: () => resolve(feed), fail })
      return promise
    },
  }
  return { feeds, opening, open: () => open }
}

const listener = { received() {}, missed() {} }
const settled = () => new Promise(setImmediate)

t.test('a console that leaves and comes back before the feed is open watches it', async (t) => {
  const { feeds, opening, open } = slowFeeds()
  const project_watchers = new ProjectWatchers(feeds, listener)
  const positions: string[] = []
  const watch = () => project_watchers.resume('p', true, undefined, (position) => positions.push(position))
  const first = watch()
  project_watchers.leave('p')
  const second = watch()
  opening[0]!.answer()
  await Promise.all([first, second])
  t.strictSame(positions, ['here', 'here'])
  t.equal(open(), 1, 'the feed stays open')
  project_watchers.leave('p')
  await settled()
  t.equal(open(), 0)
  const third = watch()
  opening[1]!.answer()
  await third
  t.equal(open(), 1, 'and is opened again')
})

t.test('a feed that nobody waits for any more is closed as soon as it is open', async (t) => {
  const { feeds, opening, open } = slowFeeds()
  const project_watchers = new ProjectWatchers(feeds, listener)
  const watch = () => project_watchers.resume('p', true, undefined, () => {})
  const all = [watch(), watch()]
  project_watchers.leave('p')
  project_watchers.leave('p')
  opening[0]!.answer()
  await Promise.all(all)
  await settled()
  t.equal(open(), 0)
})

t.test('a feed that cannot be opened is tried again by the next who asks', async (t) => {
  const { feeds, opening, open } = slowFeeds()
  const project_watchers = new ProjectWatchers(feeds, listener)
  const watch = () => project_watchers.resume('p', true, undefined, () => {})
  const failing = [watch(), watch()]
  opening[0]!.fail()
  t.ok((await Promise.allSettled(failing)).every(({ status }) => status === 'rejected'))
  const next = watch()
  opening[1]!.answer()
  await next
  t.equal(open(), 1)
  project_watchers.leave('p')
  await settled()
  t.equal(open(), 0)
})
