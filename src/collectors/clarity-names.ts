// Syntax of Clarity names, which anyone can put on the chain. A hostile or broken API can return other text instead, of
// any length or with control characters. Such text must not become a label value, and must not be stored.
//
// Lengths are those of Clarity (MAX_STRING_LEN of stacks-core). Checksums are not verified: anyone can compute them.

const STANDARD = "S[0-9A-HJKMNP-TV-Z]{27,40}";
const CONTRACT_NAME = "[a-zA-Z][a-zA-Z0-9_-]{0,127}";
const CLARITY_NAME = "[a-zA-Z][a-zA-Z0-9!?+<>=/*_-]{0,127}";

const whole = (form: string): RegExp => new RegExp(`^${form}$`);
const PRINCIPAL = whole(`${STANDARD}(\\.${CONTRACT_NAME})?`);
const ONLY_CONTRACT_NAME = whole(CONTRACT_NAME);
const ONLY_CLARITY_NAME = whole(CLARITY_NAME);
const ASSET_ID = whole(`${STANDARD}\\.${CONTRACT_NAME}::${CLARITY_NAME}`);

/** Whether a text is a valid address, or a valid contract as `address.name`. */
export const isPrincipal = (text: string): boolean => PRINCIPAL.test(text);

/** Whether a text is a valid contract name. */
export const isContractName = (text: string): boolean => ONLY_CONTRACT_NAME.test(text);

/** Whether a text is a valid Clarity name: of a function, a token or a topic. */
export const isClarityName = (text: string): boolean => ONLY_CLARITY_NAME.test(text);

/** Whether a text is a valid asset identifier: `address.contract::token`. */
export const isAssetId = (text: string): boolean => ASSET_ID.test(text);

// Surrogates, control characters and others that are not visible.
const LABEL_TEXT = /^[^\p{C}\p{Zl}\p{Zp}]{1,128}$/u;

/** Whether a text of an event can be a label value. The name of a prototype cannot: values are keys of objects. */
export const isLabelText = (text: string): boolean => text !== "__proto__" && LABEL_TEXT.test(text);
