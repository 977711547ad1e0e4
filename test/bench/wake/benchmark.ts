/**
 * Actors that sleep in the database are woken, answer and leave memory again. Another scenario weighs actors that stay.
 */
import { benchmark } from '../benchmark.ts'
import { figureGoal, rateGoal } from '../report/goal.ts'
import { cyclePeer, MEMORY, residentPeer } from './peers.ts'

const SMALL = 'small state, 512 in flight'
const PROJECTS = 'projects, 512 in flight'
const SMALL_STAY = '1,000,000 of small state stay in memory'
const PROJECTS_STAY = '200,000 projects stay in memory'

/** The benchmark `wake`. Rounds of the actors that stay last until all are awake, whatever `--seconds` says. */
export const wake = benchmark('wake', 'wake an actor, answer, let it sleep; and what it weighs awake', () => ({
  peers: [
    cyclePeer('parley', { small: 1_000_000, project: 200_000 }),
    residentPeer('parley-resident', { small: 1_000_000, project: 200_000 }),
  ],
  scenarios: [
    { name: SMALL, in_flight: 512, keys: 1, variant: 'small', peers: ['parley'] },
    { name: PROJECTS, in_flight: 512, keys: 1, variant: 'project', peers: ['parley'] },
    { name: SMALL_STAY, keys: 1, variant: 'small', peers: ['parley-resident'] },
    { name: PROJECTS_STAY, keys: 1, variant: 'project', peers: ['parley-resident'] },
  ],
  goals: [
    rateGoal(SMALL, 5000),
    rateGoal(PROJECTS, 5000),
    figureGoal(SMALL_STAY, 'parley-resident', MEMORY, 4),
    figureGoal(PROJECTS_STAY, 'parley-resident', MEMORY, 4),
  ],
}))
