// The name of the budget of an upstream, in the state file.

/** `network/upstream`. */
export const budgetKeyOf = (network: string, upstream: { readonly name: string }): string =>
  `${network}/${upstream.name}`;
