/** Where the `cellblock` program is. */
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

import { HostError } from "./errors.js";

const NAME = "cellblock";

/** The path of the program: as given, else $CELLBLOCK_BINARY, else the first on PATH. Throws HostError. */
export function findProgram(
  given: string | undefined,
  environment: NodeJS.ProcessEnv = process.env,
): string {
  if (given !== undefined) return checked(given, "The option `binary`");
  const named = environment["CELLBLOCK_BINARY"];
  if (named) return checked(named, "CELLBLOCK_BINARY");
  const folders = (environment["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const found = folders.map((folder) => join(folder, NAME)).find(isProgram);
  if (found !== undefined) return found;
  throw new HostError(
    `The program ${NAME} is not on PATH. Install Cellblock, or name the program by the option ` +
      "`binary` or the variable CELLBLOCK_BINARY.",
  );
}

function checked(path: string, origin: string): string {
  if (isProgram(path)) return path;
  throw new HostError(`${origin} names ${path}, which is no program that can be run.`);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
