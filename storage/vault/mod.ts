export { MIN_SECRET, openVault, type Vault, VaultError } from './credentials.ts'
