/**
 * Walks through the day tables of events, deliveries and attempts, which have no index by contact or project. An event is
 * found by the ids of records alone: each event about a person has the id of the contact or the customer, so that the
 * events of another contact with the same number stay.
 */
import { objectIdAt } from '../../ids.ts'
import { namesRecords, type Subject, textArray } from '../subject.ts'
import type { BatchContext, Progress } from './transaction.ts'
import { walkOn } from './walk.ts'

/** Clocks of nodes may differ by less. */
const SLACK_MS = 86_400_000

const inProjects = ({ projects }: Subject) => `project_id = any (${textArray(projects)})`

/** Events that name the subject. */
export function eraseEvents({ subject, cursor, transaction }: BatchContext): Promise<Progress> {
  const all = inProjects(subject)
  const hits = subject.kind === 'project' ? all : `${all} and ${namesRecords('data', subject)}`
  const from = `evt_${earliest(subject)}`
  return transaction((em) => walkOn(em, { table: 'event', key: ['id'], from, hits }, cursor))
}

/** Deliveries whose event was erased. */
export function eraseDeliveries({ subject, cursor, transaction }: BatchContext): Promise<Progress> {
  const all = inProjects(subject)
  const is_left = 'not exists (select from event where event.id = delivery.event_id)'
  const hits = subject.kind === 'project' ? all : `${all} and ${is_left}`
  const from = `dlv_${earliest(subject)}`
  return transaction((em) => walkOn(em, { table: 'delivery', key: ['id'], from, hits }, cursor))
}

/** Attempts whose delivery was erased. */
export function eraseAttempts({ subject, cursor, transaction }: BatchContext): Promise<Progress> {
  const hits = 'not exists (select from delivery where delivery.id = attempt.delivery_id)'
  const from = `dlv_${earliest(subject)}`
  return transaction((em) => walkOn(em, { table: 'attempt', key: ['delivery_id', 'attempt'], from, hits }, cursor))
}

/** The id of the moment before which nothing can name the subject: ids begin with their time. */
export function earliest({ subject_id, contacts, customers }: Subject): string {
  const seconds = [subject_id, ...contacts, ...customers].map((id) => Number.parseInt(id.slice(0, 8), 16))
  return objectIdAt(new Date(Math.min(...seconds) * 1000 - SLACK_MS))
}
