// The scripts are checked as a browser gets them, each in one piece (scripts/browser_scripts.py).
import js from "@eslint/js";
import globals from "globals";
import { readFileSync } from "node:fs";

const shared = readFileSync("calibviz/explorer/view/elements.js", "utf8").matchAll(/^function (\w+)/gm);

export default [
  js.configs.recommended,
  {
    rules: {
      eqeqeq: ["error", "always", { null: "ignore" }],
      "no-implicit-globals": "error",
      "no-restricted-syntax": ["error", {
        selector: "BinaryExpression[operator=/^[!=]==$/] > Literal[raw='null']",
        message: "A Python in a browser sends undefined for None: compare with == null.",
      }],
      // What the scripts of a folder share is not all used by each.
      "no-unused-vars": ["error", { varsIgnorePattern: `^(${[...shared].map(([, name]) => name).join("|")})$` }],
      "no-use-before-define": ["error", { functions: false, classes: false, variables: false }],
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": ["error", { destructuring: "all" }],
      "prefer-template": "off",
      curly: ["error", "multi-line"],
    },
  },
  { files: ["build/scripts/*.js"], languageOptions: { globals: globals.browser } },
  { files: ["build/scripts/page.js", "build/scripts/calibviz-page.js"], languageOptions: { sourceType: "script" },
    rules: { "no-implicit-globals": "off" } },
  { files: ["tests/scripts/*.js"], languageOptions: { globals: { ...globals.node, document: false, window: false } } },
];
