/** The limit of a plan that has none. */
export const UNLIMITED = 2_147_483_647
