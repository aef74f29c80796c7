# cmake -D COMMAND=.../specreg -D OUT=FOLDER -P manual.cmake
# Writes FOLDER/man/specreg.1, FOLDER/man/specreg-COMMAND.1 and FOLDER/completion/SHELL/....
file(REMOVE_RECURSE ${OUT}/man ${OUT}/completion)
file(MAKE_DIRECTORY ${OUT}/man ${OUT}/completion/bash ${OUT}/completion/zsh ${OUT}/completion/fish)

function(ask file) # the output of `specreg help ...` into a file
  execute_process(COMMAND ${COMMAND} help ${ARGN} OUTPUT_FILE ${OUT}/${file}
                  ERROR_VARIABLE error RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "specreg help ${ARGN}: exit ${code}: ${error}")
  endif()
endfunction()

execute_process(COMMAND ${COMMAND} help --commands OUTPUT_VARIABLE commands
                OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "specreg help --commands: exit ${code}")
endif()
string(REPLACE "\n" ";" commands "${commands}")
ask(man/specreg.1 --man)
foreach(command IN LISTS commands)
  ask(man/specreg-${command}.1 --man ${command})
endforeach()
ask(completion/bash/specreg --completion bash)
ask(completion/zsh/_specreg --completion zsh)
ask(completion/fish/specreg.fish --completion fish)
