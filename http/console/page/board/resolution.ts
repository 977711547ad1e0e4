export type Resolution = 'won' | 'lost' | null
