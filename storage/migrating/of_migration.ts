/** Why statements of migrations are run as they are (`sql.raw`). */
export const OF_MIGRATION = 'a migration of the repository has it'
